//! Given names and family names that are common in several languages: enough to recognize a column of people's names.

/// Names in small letters, between blanks. Names that are as often places or words are left out.
pub(super) const COMMON: &str = "\
    aaron adam adrian agnieszka ahmed alan albert alejandro alessandro alex alexander alexandra ali alice alicja amanda amelia \
    amelie amy ana anastasia andrea andreas andrew andrzej angela ann anna anne annika anthony antoine antonio ashley barbara \
    beatriz ben benjamin bernd betty bianca birgit brandon brenda brian bruno camille carl carlos carmen carol caroline \
    catherine chantal charles charlotte chiara chris christian christiane christina christine christoph christopher claire \
    clara claudia claus cynthia daniel daniela david deborah dennis diana diego dieter dmitri dominik donald donna dorota \
    dorothy edward elena eliza elizabeth ella emily emma emmanuel eric erik ewa fatima federica felix fernando finn florian \
    francesca francesco francisco frank franz frederic friedrich gabriel gary george gerhard giovanni giulia giuseppe greta \
    gregory guillaume günther hanna hannah hans heather heike heinrich helen helena helga henri henry hugo ibrahim ingrid \
    isabel isabella isabelle jack jacob jacques jakub james jan jane janet jason javier jean jeffrey jennifer jens jerzy \
    jessica joan joanna joao joão johann johannes john jonas jonathan jorge jose josé josef joseph joshua juan judith julia \
    julie julien jürgen justin karen karin karl katarzyna katharina katherine kathleen katrin keith kelly kenneth kevin kim \
    klaus krzysztof lars laura lauren lea lena leon leonie lily linda lisa louis louise luca lucas lucia luis luisa lukas \
    maciej magdalena malgorzata małgorzata manfred manuel marc marco marcus margaret maria marie mariana marina mario mark \
    marta martha martin martina mary mateusz matteo matthew matthias max maximilian megan melissa mia michael michał michel \
    michelle miguel mike mohamed mohammed monica monika muhammad nancy natalia natalie nathalie nicholas nicolas nicole nina \
    noah olga oliver olivia olivier omar pablo pamela paola paolo patricia patrick patrik paul paula pawel paweł pedro peter \
    petra philip philippe pierre piotr rachel rafael rainer ralf raymond rebecca renate ricardo richard rita robert roberto \
    roger ronald rosa russell ruth ryan sabine samantha samuel sandra sara sarah scott sean sebastian sergio sharon shirley \
    silvia simon simone sofia sophia sophie stefan stefania stefano stephan stephanie stephen steven stéphane susan susanne \
    sven svetlana sylvie tanja teresa thomas tim timothy tobias tom tomasz ulrich ulrike ursula uwe valentina valerie vera \
    veronica veronika victor vincent walter werner william wojciech wolfgang xavier yasmin yusuf yves zoe zofia \
    andersson bauer becker bernard costa davis dubois fernandes fernandez ferrari fischer garcia gonzalez hernandez hoffmann \
    jansen johnson jones kowalski kowalska laurent lefebvre lewandowski lopez martinez meyer moreau müller mueller nguyen \
    nowak oliveira pereira perez petit ramirez ricci rodriguez romano rossi russo sanchez santos schäfer schmidt schneider \
    schulz schwarz silva smith thompson torres wagner weber williams wilson wiśniewski wójcik zimmermann";
