//! Running figures: every seed of every figure is a piece of work of its own, on as many threads as there are.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use moretta::internals::chance::Seed;
use moretta::internals::progress::Progress;
use moretta::internals::storage::{Readers, write_atomically};
use moretta::{Error, Result};

use super::figure::{Figure, Form};
use super::table::{from_text, to_text};
use super::{EXPERIMENTS, Experiment, ExperimentContext, ResultTable, Settings, grid, kept, seeds};

/// What a figure came to.
#[derive(Clone, Debug)]
pub enum Found {
    /// Its tables.
    Tables(Vec<ResultTable>),
    /// It was not run: this file of the data is not there.
    Lacks(PathBuf),
}

/// How figures are run.
#[derive(Clone, Debug)]
pub struct Runs {
    /// The folder of the papers' data.
    pub data: PathBuf,
    /// Where finished pieces are kept, so that an interrupted run goes on where it was.
    pub keep: Option<PathBuf>,
    /// A seed instead of those that the figures state.
    pub seed: Option<u64>,
}

/// A piece: a figure from one seed.
struct Piece<'a> {
    figure: usize,
    of: &'a Figure,
    form: Form,
    seed: u64,
}

impl Runs {
    /// Runs figures, each in a form; they come back in their order.
    pub fn run(&self, figures: &[(&Figure, Form)], progress: &Progress) -> Result<Vec<Found>> {
        let mut pieces = Vec::new();
        let mut lacking = Vec::new();
        for (number, &(figure, form)) in figures.iter().enumerate() {
            let declared = figure.declared(form)?;
            let lacks = declared.needs.iter().map(|file| self.data.join(file)).find(|file| !file.is_file());
            if lacks.is_none() {
                let seeds = self.seed.map_or(declared.seeds, |seed| vec![seed]);
                pieces.extend(seeds.into_iter().map(|seed| Piece { figure: number, of: figure, form, seed }));
            }
            lacking.push(lacks);
        }
        let scratch = Scratch::new()?;
        let program = self.keep.is_some().then(program).transpose()?;
        let done: Mutex<Vec<Option<Vec<ResultTable>>>> = Mutex::new(pieces.iter().map(|_| None).collect());
        let failed: Mutex<Option<Error>> = Mutex::new(None);
        let next = AtomicUsize::new(0);
        progress.start("reproducing", pieces.len() as u64);
        let work = || {
            while let Some((number, piece)) = {
                let number = next.fetch_add(1, Ordering::Relaxed);
                pieces.get(number).map(|piece| (number, piece))
            } {
                if failed.lock().unwrap_or_else(PoisonError::into_inner).is_some() || progress.is_cancelled() {
                    return;
                }
                let part = progress.part("figure", number, pieces.len());
                match self.piece(piece, &scratch.0.join(number.to_string()), program.as_deref(), &part) {
                    Ok(tables) => {
                        part.conclude(format!("{}, seed {}", piece.of.title(), piece.seed));
                        done.lock().unwrap_or_else(PoisonError::into_inner)[number] = Some(tables);
                    }
                    Err(error) => {
                        failed
                            .lock()
                            .unwrap_or_else(PoisonError::into_inner)
                            .get_or_insert(error.about(&piece.of.title()));
                    }
                }
                progress.advance(1);
            }
        };
        // Threads of their own, not tasks of the pool: a task would wait for the tasks of a whole figure.
        std::thread::scope(|scope| {
            let threads = std::thread::available_parallelism().map_or(1, usize::from).min(pieces.len()).min(AT_ONCE);
            let started: std::io::Result<Vec<_>> =
                (0..threads).map(|_| std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work)).collect();
            started.map(drop).map_err(|e| Error::system("can't start a thread", e))
        })?;
        progress.check()?;
        if let Some(error) = failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
            return Err(error);
        }
        let mut runs: Vec<Vec<Vec<ResultTable>>> = figures.iter().map(|_| Vec::new()).collect();
        for (piece, tables) in pieces.iter().zip(done.into_inner().unwrap_or_else(PoisonError::into_inner)) {
            runs[piece.figure].push(tables.ok_or_else(|| Error::bug("a figure was not run"))?);
        }
        let found = runs.into_iter().zip(lacking).map(|(runs, lacks)| match lacks {
            Some(file) => Ok(Found::Lacks(file)),
            None => seeds::mean(&runs).map(Found::Tables),
        });
        found.collect()
    }

    fn piece(
        &self,
        piece: &Piece<'_>,
        scratch: &Path,
        program: Option<&str>,
        progress: &Progress,
    ) -> Result<Vec<ResultTable>> {
        let declared = piece.of.declared(piece.form)?;
        // A finished piece counts only for the program that made it.
        let kept = match (&self.keep, program) {
            (Some(keep), Some(program)) => {
                let name =
                    format!("{}-{}-{}-{}-{program}.tsv", piece.of.paper, piece.of.name, piece.form.name(), piece.seed);
                Some(keep.join(name))
            }
            _ => None,
        };
        let stated = format!("{:?}", (&declared.settings, &declared.grid, &declared.experiment));
        if let Some(file) = kept.as_ref().filter(|file| file.is_file()) {
            let text = fs::read_to_string(file).map_err(|e| Error::machine("read a finished figure", file, e))?;
            if let Some(tables) = text.strip_prefix(&format!("{stated}\n")) {
                return from_text(tables, file);
            }
        }
        let context = ExperimentContext {
            data: self.data.clone(),
            seed: Seed::from(piece.seed),
            settings: Settings::new(declared.settings, &piece.of.file),
            file: piece.of.file.clone(),
            scratch: scratch.to_path_buf(),
        };
        let tables = if declared.experiment == "grid" {
            grid::run(&context, &declared.title, &declared.grid, progress)?
        } else {
            (registered(&declared.experiment, &piece.of.file)?.run)(&context, progress)?
        };
        if let Some(file) = kept {
            let folder = file.parent().unwrap_or(Path::new("."));
            fs::create_dir_all(folder).map_err(|e| Error::machine("make a folder", folder, e))?;
            let text = format!("{stated}\n{}", to_text(&tables));
            write_atomically(&file, Readers::Usual, |out| std::io::Write::write_all(out, text.as_bytes()))
                .map_err(|e| Error::machine("keep a finished figure", &file, e))?;
        }
        // What a figure wrote is of no use to others.
        drop(fs::remove_dir_all(scratch));
        Ok(tables)
    }
}

const AT_ONCE: usize = 4;

/// As the main thread has it.
const STACK: usize = 16 << 20;

/// An experiment of the registry.
fn registered(name: &str, file: &Path) -> Result<&'static Experiment> {
    EXPERIMENTS.iter().find(|known| known.name == name).ok_or_else(|| {
        let names: Vec<&str> = std::iter::once("grid").chain(EXPERIMENTS.iter().map(|known| known.name)).collect();
        Error::input(format!("there is no experiment {name:?}"))
            .at_file(file)
            .help(format!("there are: {}", names.join(", ")))
    })
}

/// What tells one build of this program from another.
fn program() -> Result<String> {
    let file = std::env::current_exe().map_err(|e| Error::system("can't tell which program this is", e))?;
    let bytes = fs::read(&file).map_err(|e| Error::machine("read", &file, e))?;
    Ok(kept::digest(&bytes))
}

/// A folder for what figures write, gone when all are done.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Result<Self> {
        static MADE: AtomicUsize = AtomicUsize::new(0);
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("moretta-reproduce-{}-{number}", std::process::id()));
        fs::create_dir_all(&folder).map_err(|e| Error::machine("make a folder", &folder, e))?;
        Ok(Self(folder))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.0));
    }
}
