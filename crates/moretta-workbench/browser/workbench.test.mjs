// The whole path in a real browser, on the hospital example, and what must not go wrong on the way.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdir, readFile, readdir, rm, writeFile, mkdtemp } from "node:fs/promises";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { PROGRAM, ROOT, SHOTS, finished, openBrowser, openWorkbench, publish, send } from "./workbench.mjs";

const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const HOSPITAL = path.join(ROOT, "examples/hospital/patients.csv");
let browser;

/** A part of the hospital, for tests whose point is not the size. */
async function someRows(folder) {
  const file = path.join(folder, "few.csv");
  await writeFile(file, (await readFile(HOSPITAL, "utf8")).split("\n").slice(0, 301).join("\n") + "\n");
  return file;
}

before(async () => {
  await rm(SHOTS, { recursive: true, force: true });
  await mkdir(SHOTS, { recursive: true });
  browser = await openBrowser();
});
after(() => browser.close());

/** A page that was let in; anything that a page does wrong fails the test. */
async function visit(bench, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1200, height: 800 }, acceptDownloads: true, reducedMotion: "reduce", ...options });
  const page = await context.newPage();
  const wrong = [];
  page.on("pageerror", (error) => wrong.push(String(error)));
  page.on("console", (message) => message.type() === "error" && wrong.push(message.text()));
  page.on("dialog", (dialog) => { wrong.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
  page.on("request", (request) => { if (!request.url().startsWith(bench.origin)) wrong.push(`asks elsewhere: ${request.url()}`); });
  await page.goto(bench.address);
  return { context, page, wrong };
}

/** Keeps a picture, and holds the page against axe: in light and dark, as wide as a phone, and at twice the size. */
async function look(page, name, faults) {
  await page.emulateMedia({ colorScheme: "light" });
  await page.screenshot({ path: path.join(SHOTS, `${name}.png`) });
  for (const colorScheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme });
    // By the debugging interface: the page's own policy allows no script that is not ours.
    await page.evaluate(axe);
    const found = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
    const grave = found.violations.filter((one) => ["serious", "critical"].includes(one.impact));
    faults.push(...grave.map((one) => `${name}, ${colorScheme}: ${one.id}: ${one.nodes[0].html}`));
  }
  await page.screenshot({ path: path.join(SHOTS, `${name}-dark.png`) });
  await page.emulateMedia({ colorScheme: "light" });
  const size = page.viewportSize();
  // A window of 1200 by 800 has this room at 200 %.
  for (const [what, width, height] of [["400", 400, 800], ["zoomed", 600, 400]]) {
    await page.setViewportSize({ width, height });
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    if (overflow > 0) faults.push(`${name} is ${overflow} pixels too wide at ${width}`);
    if (what === "400") await page.screenshot({ path: path.join(SHOTS, `${name}-${what}.png`) });
  }
  await page.setViewportSize(size);
}

async function download(page, selector) {
  const [got] = await Promise.all([page.waitForEvent("download"), page.click(selector)]);
  return got.path();
}

/** Unpacks a downloaded release and lets the program check it. */
async function check(zip) {
  const folder = await mkdtemp(path.join(os.tmpdir(), "moretta-release-"));
  execFileSync("python3", ["-m", "zipfile", "-e", zip, folder]);
  assert.deepEqual(await readdir(folder), ["release"]);
  execFileSync(PROGRAM, ["check", path.join(folder, "release")], { stdio: "pipe" });
  await rm(folder, { recursive: true });
}

describe("from an empty workspace to a checked release", () => {
  let bench;
  before(async () => { bench = await openWorkbench(); });
  after(async () => { await bench.stop(); await bench.remove(); });

  test("every step, with pictures", async () => {
    const { page, wrong, context } = await visit(bench);
    const faults = [];
    await look(page, "1-empty", faults);
    await send(page, bench, HOSPITAL);
    await look(page, "1-job", faults);
    await page.goto(bench.origin + "/");
    await look(page, "1-open", faults);
    await page.goto(bench.origin + "/understand");
    await look(page, "2-understand", faults);

    await page.goto(bench.origin + "/roles");
    const before = await page.textContent("#alone");
    assert.match(before, /3,000 of 3,000 people/);
    const role = async (column, title) => page.locator("fieldset.role", { has: page.locator(`legend:text-is("${column}")`) }).getByRole("radio", { name: title }).check();
    await role("days_of_stay", "Leave out");
    await role("ward", "Harmless");
    await page.waitForFunction((old) => document.getElementById("alone").textContent !== old, before);
    assert.doesNotMatch(await page.textContent("#alone"), /ward/);
    await page.evaluate(() => window.scrollTo(0, 0));
    await look(page, "3-roles", faults);
    await page.getByRole("button", { name: "Save roles" }).click();

    await page.waitForURL(/hierarchies$/);
    await look(page, "4-hierarchies", faults);
    // On a phone every ladder can be changed without scrolling sideways.
    await page.setViewportSize({ width: 400, height: 800 });
    const reach = await page.locator(".ladders a").evaluateAll((links) => links.map((link) => link.getBoundingClientRect().right));
    assert.ok(reach.length > 4 && reach.every((right) => right <= 400), `"Change" ends at ${reach}`);
    assert.equal(await page.locator(".wide").evaluate((wide) => wide.scrollWidth - wide.clientWidth), 0);
    await page.setViewportSize({ width: 1200, height: 800 });
    await page.getByRole("link", { name: "Change age" }).click();
    await page.check("input[name=kind][value=cuts]");
    await page.fill("#cuts", "18, 30, 45, 65, 80\n18, 65");
    await page.locator("#cuts").blur();
    // The rungs follow what is typed.
    await page.getByText("4 levels").waitFor();
    await page.locator("#handles input").first().focus();
    await page.keyboard.press("ArrowRight");
    assert.match(await page.inputValue("#cuts"), /^19, 30, 45, 65, 80\n19, 65$/);
    await page.keyboard.press("ArrowLeft");
    await look(page, "4-ladder", faults);
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.waitForURL(/hierarchies$/);
    assert.match(await readFile(path.join(bench.workspace, "policy.toml"), "utf8"), /cuts = \[\[18/);
    // Days are typed and dragged as numbers are.
    await page.getByRole("link", { name: "Change admission_date" }).click();
    await page.check("input[name=kind][value=cuts]");
    await page.fill("#cuts", "2023-04-01, 2023-07-01\n2023-07-01");
    await page.getByText("[2023-04-01, 2023-06-30]").waitFor();
    await page.locator("#handles input").last().focus();
    await page.keyboard.press("ArrowRight");
    assert.equal(await page.inputValue("#cuts"), "2023-04-01, 2023-07-02\n2023-07-02");
    assert.equal(await page.locator("#handles input").last().getAttribute("aria-valuetext"), "2023-07-02");
    await page.getByText("[2023-04-01, 2023-07-01]").waitFor();
    await look(page, "4-days", faults);
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.waitForURL(/hierarchies$/);
    assert.match(await readFile(path.join(bench.workspace, "policy.toml"), "utf8"), /cuts = \[\["2023-04-01", "2023-07-02"\], \["2023-07-02"\]\]/);
    await page.getByRole("link", { name: "Change profession" }).click();
    await page.check("input[name=kind][value=tree]");
    await page.getByRole("button", { name: "Look" }).click();
    const values = page.locator(".tree input");
    for (const index of [0, 1, 2]) await values.nth(index).check();
    await page.fill("#into", "care & cure");
    await page.getByRole("button", { name: "Put the checked into this group" }).click();
    await page.getByRole("checkbox", { name: "care & cure" }).waitFor();
    await page.getByText("3 levels").waitFor();
    await look(page, "4-tree", faults);
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.waitForURL(/hierarchies$/);
    const tree = path.join(bench.workspace, "hierarchies/profession.csv");
    assert.match(await readFile(tree, "utf8"), /care & cure/);
    await page.getByRole("link", { name: "Change profession" }).click();
    const [exported] = await Promise.all([page.waitForEvent("download"), page.getByRole("link", { name: "Export the saved ladder" }).click()]);
    assert.equal(await readFile(await exported.path(), "utf8"), await readFile(tree, "utf8"));
    await page.setInputFiles("#file", tree);
    await page.getByRole("button", { name: "Import and save" }).click();
    assert.match(await page.textContent("h1"), /profession/);

    await page.goto(bench.origin + "/promise");
    await page.getByText("What it protects, and what not").first().click();
    await look(page, "5-promise", faults);
    await page.getByRole("checkbox", { name: "distinct-l-diversity" }).check();
    await page.getByRole("button", { name: "Save and compare" }).click();
    await page.waitForURL(/compare$/);
    await page.getByRole("checkbox", { name: "least-loss" }).uncheck();
    await page.getByRole("checkbox", { name: "t-closeness" }).uncheck();
    await page.getByRole("button", { name: "Compare" }).click();
    assert.equal(await finished(page, 120_000), "done");
    await page.getByRole("link", { name: "Go on" }).click();
    await look(page, "6-compare", faults);
    // A point is looked at by pointing and by the keyboard.
    const points = page.locator(".plane .point");
    await points.last().hover({ force: true });
    const last = await points.last().getAttribute("href");
    assert.ok(await page.locator(`${last}.is-shown`).isVisible());
    await points.first().focus();
    assert.equal(await page.locator("#abouts .is-shown").count(), 1);
    assert.ok(await page.locator(`${await points.first().getAttribute("href")}.is-shown`).isVisible());
    await page.getByRole("button", { name: /Choose mondrian.*k = 10/ }).click();
    await page.waitForURL(/publish$/);
    await look(page, "7-publish", faults);
    assert.equal(await publish(page, bench, "first"), "done");
    await page.getByRole("link", { name: "Go on" }).click();
    assert.match(await page.textContent("main"), /Every promise holds/);
    await look(page, "8-release", faults);
    await check(await download(page, "text=Download the zip"));

    await page.fill("#sql", "SELECT sex, COUNT(*) WHERE age >= 60 GROUP BY sex");
    await page.getByRole("button", { name: "Ask" }).click();
    assert.equal(await finished(page), "done");
    assert.match(await page.textContent("table"), /female/);
    await look(page, "8-answer", faults);
    await page.goto(bench.origin + "/releases/first/report");
    await look(page, "8-report", faults);

    await page.goto(bench.origin + "/policy");
    const text = await page.inputValue("#text");
    await page.fill("#text", text.replace("k = 10", "k = 4"));
    await page.getByRole("button", { name: "Check and save" }).click();
    assert.equal(await publish(page, bench, "second"), "done");
    await page.goto(bench.origin + "/releases");
    await look(page, "8-releases", faults);
    await page.getByRole("button", { name: "Compare" }).click();
    assert.match(await page.textContent("h1"), /first beside second/);
    await look(page, "8-beside", faults);
    await page.goto(bench.origin + "/explain/t-closeness");
    await look(page, "5-explain", faults);
    assert.deepEqual(faults, []);
    assert.deepEqual(wrong, []);
    await context.close();
  });

  test("the command line reads what the workbench wrote", () => {
    const said = execFileSync(PROGRAM, ["publish", path.join(bench.workspace, "policy.toml")], { stdio: "pipe" }).toString();
    assert.match(said, /k = 4/);
  });
});

test("without scripts the main path still works", async () => {
  const bench = await openWorkbench();
  const { page, context } = await visit(bench, { javaScriptEnabled: false });
  await send(page, bench, await someRows(SHOTS));
  await page.goto(bench.origin + "/roles");
  await page.getByRole("button", { name: "Save roles" }).click();
  await page.goto(bench.origin + "/promise");
  await page.getByRole("radio", { name: "mondrian" }).check();
  await page.getByRole("button", { name: "Save and publish" }).click();
  assert.equal(await publish(page, bench), "done");
  await page.getByRole("link", { name: "Go on" }).click();
  await check(await download(page, "text=Download the zip"));
  await context.close();
  await bench.stop();
  await bench.remove();
});

test("with the keyboard alone", async () => {
  const bench = await openWorkbench();
  const { page, context, wrong } = await visit(bench);
  /** Tabs until something is reached, by its words, value or id; whatever has the focus must be seen to have it. */
  const reach = async (wanted, key = "Enter") => {
    for (let steps = 0; steps < 400; steps++) {
      await page.keyboard.press("Tab");
      const at = await page.evaluate(() => {
        const one = document.activeElement;
        const shown = one.matches("input[type=radio], input[type=checkbox]") ? one.parentElement.querySelector("span") ?? one : one;
        const style = [getComputedStyle(one), getComputedStyle(shown)];
        return { text: (one.textContent || one.value || "").trim(), id: one.id, seen: style.some((s) => s.outlineStyle !== "none") };
      });
      assert.ok(at.seen || at.text === "", `nothing shows that ${at.text} has the focus`);
      const is = wanted instanceof RegExp ? wanted.test(at.text) : at.text === wanted || `#${at.id}` === wanted;
      if (is) return key && page.keyboard.press(key);
    }
    throw new Error(`${wanted} can't be reached`);
  };
  const type = async (text) => {
    await page.keyboard.press("Control+A");
    await page.keyboard.type(text);
  };

  // Open: the file is chosen in a dialog of the browser's own, which the keyboard opens.
  const [dialog] = await Promise.all([page.waitForEvent("filechooser"), reach("#file")]);
  await dialog.setFiles(await someRows(SHOTS));
  await reach("Send it to the workspace");
  await page.waitForURL(/jobs/);
  assert.equal(await finished(page), "done");
  await reach("Go on");
  await page.waitForURL(/understand$/);
  const policy = path.join(bench.workspace, "policy.toml");
  await writeFile(policy, (await readFile(policy, "utf8")).replace("least-loss", "mondrian"));

  await page.goto(bench.origin + "/roles");
  await reach("Save roles");
  await page.waitForURL(/hierarchies$/);

  // Hierarchies: a group of radio buttons is one stop, within which the arrows choose.
  await reach("Change age");
  await page.waitForURL(/hierarchies\/\d+$/);
  await reach("intervals", null);
  await page.keyboard.press("ArrowDown");
  assert.ok(await page.locator("input[name=kind][value=cuts]").isChecked());
  await reach("#cuts", null);
  await type("18, 30, 45, 65\n18, 65");
  await page.getByText("4 levels").waitFor();
  await page.keyboard.press("Tab");
  await page.keyboard.press("ArrowRight");
  assert.equal(await page.inputValue("#cuts"), "19, 30, 45, 65\n19, 65");
  await reach("Save");
  await page.waitForURL(/hierarchies$/);
  assert.match(await readFile(policy, "utf8"), /cuts = \[\[19/);
  await reach("Make a promise");
  await page.waitForURL(/promise$/);
  await reach("Save and compare");
  await page.waitForURL(/compare$/);

  // Compare: one method and one model, and a point of the plane.
  for (const kind of ["method", "model"]) {
    const wanted = { method: "mondrian", model: "k-anonymity" }[kind];
    const checked = await page.locator(`input[name=${kind}]`).evaluateAll((boxes) => boxes.filter((box) => box.checked).map((box) => box.value));
    for (const other of checked.filter((value) => value !== wanted)) await reach(other, "Space");
    if (!checked.includes(wanted)) await reach(wanted, "Space");
  }
  assert.deepEqual(await page.locator("input[name=method]:checked, input[name=model]:checked").evaluateAll((boxes) => boxes.map((box) => box.value)), ["mondrian", "k-anonymity"]);
  await reach("Compare");
  assert.equal(await finished(page, 120_000), "done");
  await reach("Go on");
  await page.locator(".plane .point").first().waitFor();
  for (let steps = 0; !(await page.evaluate(() => document.activeElement.matches(".point"))); steps++) {
    assert.ok(steps < 400, "no point can be reached");
    await page.keyboard.press("Tab");
  }
  assert.equal(await page.locator("#abouts .is-shown").count(), 1);
  await reach(/^Choose mondrian/);
  await page.waitForURL(/publish$/);
  await reach("Publish");
  assert.equal(await finished(page), "done");
  await reach("Go on");
  await page.getByText("Every promise holds").waitFor();

  // The query box.
  await reach("#sql", null);
  await type("SELECT sex, COUNT(*) WHERE age >= 65 GROUP BY sex");
  await reach("Ask");
  assert.equal(await finished(page), "done");
  assert.match(await page.textContent("table"), /female/);
  assert.deepEqual(wrong, []);
  await context.close();
  await bench.stop();
  await bench.remove();
});

test("a table full of markup stays a table", async () => {
  const bench = await openWorkbench();
  const { page, context, wrong } = await visit(bench);
  const evil = ["<script>alert(1)</script>", "\"><img src=x onerror=alert(2)>", "javascript:alert(3)", "</textarea><script>alert(4)</script>", "{{7*7}}", "' onmouseover='alert(5)"];
  const quoted = (text) => `"${text.replaceAll("\"", "\"\"")}"`;
  const rows = Array.from({ length: 300 }, (_, i) => [20 + (i % 40), quoted(evil[i % evil.length]), quoted(evil[(i * 5 + 1) % evil.length])].join(","));
  const file = path.join(bench.workspace, "evil.csv");
  await writeFile(file, [`age,${quoted("<b onclick=alert(6)>zip</b>")},disease`, ...rows].join("\n") + "\n");
  await page.goto(bench.origin + "/");
  await page.locator("form[action='/open'] button").click();
  assert.equal(await finished(page), "done");
  for (const address of ["/", "/understand", "/roles", "/hierarchies", "/hierarchies/1", "/hierarchies/2", "/promise", "/policy", "/publish"]) {
    await page.goto(bench.origin + address);
    assert.equal(await page.locator("main script, main img, main b, main [onclick], main [onerror], main [onmouseover]").count(), 0, address);
  }
  assert.equal(await publish(page, bench, "evil"), "done");
  for (const address of ["/releases/evil", "/releases/evil/report", "/releases"]) {
    await page.goto(bench.origin + address);
    assert.equal(await page.locator("script, img, b[onclick], [onerror], [onmouseover]").count(), 0, address);
  }
  assert.deepEqual(wrong, []);
  await context.close();
  await bench.stop();
  await bench.remove();
});

test("a job is cancelled in the middle, survives a reload, and is seen from two tabs", async () => {
  const bench = await openWorkbench();
  const { page, context } = await visit(bench);
  execFileSync(PROGRAM, ["generate", "hospital", "--rows", "80000", "--seed", "3", "--out", path.join(bench.workspace, "many.csv")], { stdio: "pipe" });
  await page.goto(bench.origin + "/");
  await page.locator("form[action='/open'] button").click();
  assert.equal(await finished(page), "done");
  await page.goto(bench.origin + "/publish");
  await page.fill("#name", "stopped");
  await page.getByRole("button", { name: "Publish", exact: true }).click();
  await page.waitForSelector("#job[data-phase=running], #job[data-phase=waiting]");
  await page.reload();
  assert.equal(await page.locator("#bar").count(), 1, "the job goes on after a reload");
  const second = await context.newPage();
  await second.goto(bench.origin + "/roles");
  await second.locator(".banner a").click();
  assert.equal(second.url(), page.url(), "both tabs look at one job");
  await second.getByRole("button", { name: "Cancel" }).click();
  assert.equal(await finished(second), "cancelled");
  assert.equal(await finished(page), "cancelled");
  const left = existsSync(path.join(bench.workspace, "releases")) ? await readdir(path.join(bench.workspace, "releases")) : [];
  assert.ok(!left.includes("stopped"), "nothing is half-written");

  // A killed server: the workspace is as it was, and goes on.
  await page.goto(bench.origin + "/publish");
  await page.fill("#name", "killed");
  await page.getByRole("button", { name: "Publish", exact: true }).click();
  await page.waitForSelector("#job[data-phase=running]");
  await bench.stop("SIGKILL");
  await context.close();
  const again = await openWorkbench(bench.workspace);
  const revisit = await visit(again);
  await revisit.page.goto(again.origin + "/releases");
  assert.match(await revisit.page.textContent("main"), /Nothing was published yet/);
  await revisit.page.goto(again.origin + "/roles");
  assert.match(await revisit.page.textContent("h1"), /What does each column mean/);
  await revisit.context.close();
  await again.stop();
  await again.remove();
});

test("what can't be had is said, on pages that everybody can read", async () => {
  const bench = await openWorkbench();
  const { page, context, wrong } = await visit(bench);
  const faults = [];
  await page.fill("#address", "postgresql://me@127.0.0.1:1/clinic");
  await page.fill("#name", "patients");
  await page.fill("#password", "geheim & long");
  await page.locator("form[action='/open/database'] button").click();
  assert.equal(await finished(page), "failed");
  assert.match(await page.textContent("main"), /can't be reached/);
  assert.doesNotMatch(await page.content(), /geheim/);
  await look(page, "1-failed", faults);
  await page.goto(bench.origin + "/");
  await page.fill("#address", "postgresql://me:geheim@127.0.0.1/clinic");
  await page.locator("form[action='/open/database'] button").click();
  assert.match(await page.textContent("[role=alert]"), /must not hold a password/);
  await look(page, "1-refused", faults);
  assert.deepEqual(faults, []);
  assert.deepEqual(wrong, []);
  await context.close();
  await bench.stop();
  await bench.remove();
});

const ADULT = process.env.MORETTA_DATA && path.join(process.env.MORETTA_DATA, "adult.csv");
test("Adult, from the file to a checked release", { skip: !(ADULT && existsSync(ADULT)) && "the data set is not there" }, async () => {
  const bench = await openWorkbench();
  const { page, context, wrong } = await visit(bench);
  await send(page, bench, ADULT);
  await page.goto(bench.origin + "/promise");
  await page.getByRole("radio", { name: "mondrian" }).check();
  await page.getByRole("button", { name: "Save and publish" }).click();
  assert.equal(await publish(page, bench, "adult"), "done", await page.textContent("main"));
  await page.getByRole("link", { name: "Go on" }).click();
  await check(await download(page, "text=Download the zip"));
  assert.deepEqual(wrong, []);
  await context.close();
  await bench.stop();
  await bench.remove();
});
