// A server on a workspace of its own, a browser, and the steps that several tests take.
import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { existsSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { chromium } from "playwright-core";

export const PROGRAM = process.env.MORETTA ?? "moretta";
export const ROOT = path.resolve(import.meta.dirname, "../../..");
export const SHOTS = path.join(import.meta.dirname, "shots");

// What Debian's Chromium needs in a container, and what keeps it from calling home.
const FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];

export async function openBrowser() {
  const executablePath = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);
  if (!executablePath) throw new Error("no Chromium: ./x browser installs one on Debian");
  return chromium.launch({ executablePath, args: FLAGS });
}

/** Starts the program on an empty workspace, or on one that is there. */
export async function openWorkbench(folder) {
  const workspace = folder ?? (await mkdtemp(path.join(os.tmpdir(), "moretta-workbench-")));
  const server = spawn(PROGRAM, ["workbench", workspace, "--no-browser"], { stdio: ["ignore", "pipe", "inherit"] });
  const address = await new Promise((resolve, reject) => {
    let text = "";
    server.stdout.on("data", (data) => {
      text += data;
      const found = /http:\S+/.exec(text);
      if (found) resolve(found[0]);
    });
    server.on("exit", (code) => reject(new Error(`the server ended with ${code}`)));
  });
  const stop = async (signal = "SIGTERM") => {
    if (server.exitCode === null) {
      server.kill(signal);
      await new Promise((resolve) => server.on("exit", resolve));
    }
  };
  return { workspace, address, origin: new URL(address).origin, stop, remove: () => rm(workspace, { recursive: true, force: true }) };
}

/** Sends a table and waits until it was looked at. */
export async function send(page, bench, file) {
  await page.goto(bench.origin + "/");
  await page.setInputFiles("#file", file);
  await page.getByRole("button", { name: "Send it to the workspace" }).click();
  await finished(page);
}

/** Waits until the job of the page is over, and gives its phase. */
export async function finished(page, timeout = 60_000) {
  await page.waitForSelector("#job:is([data-phase=done], [data-phase=failed], [data-phase=cancelled])", { timeout });
  return page.getAttribute("#job", "data-phase");
}

/** Publishes the policy as it stands. */
export async function publish(page, bench, name) {
  await page.goto(bench.origin + "/publish");
  if (name) await page.fill("#name", name);
  await page.getByRole("button", { name: "Publish", exact: true }).click();
  return finished(page, 120_000);
}
