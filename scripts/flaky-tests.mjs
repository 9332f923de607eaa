#!/usr/bin/env node
// Names the tests that failed and then passed, by the reports of Surefire under DIR, and fails unless
// docs/flaky-tests.txt lists each of them, for at most 60 days. DATE is that of the tested commit.
//
//   node scripts/flaky-tests.mjs DIR DATE      e.g. . 2026-11-27
//   node scripts/flaky-tests.mjs --self-test

import assert from "node:assert";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";

const LIST = "docs/flaky-tests.txt";
const MOST_DAYS = 60;
const DATE = /^\d{4}-\d{2}-\d{2}$/;

/** The flaky tests of a folder's reports as Class.method, sorted. */
function flakes(folder) {
  const found = new Set();
  for (const entry of fs.readdirSync(folder, { withFileTypes: true, recursive: true })) {
    const file = path.join(entry.parentPath ?? entry.path, entry.name);
    if (!/\/surefire-reports\/(.*\/)?TEST-[^/]*\.xml$/.test(file)) continue;
    const cases = fs.readFileSync(file, "utf8").split(/<testcase /).slice(1);
    for (const text of cases) {
      if (!/<flaky(Failure|Error)\b/.test(text)) continue;
      const [, name] = text.match(/\bname="([^"(\[{]*)/);
      const [, type] = text.match(/\bclassname="(?:[^"]*\.)?([^".]+)"/);
      found.add(`${type}.${name.trim()}`);
    }
  }
  return [...found].sort();
}

/** The lines of the list: {date, test, known}. */
function read(text, faults) {
  const listed = [];
  text.split("\n").forEach((line, at) => {
    if (!line.trim() || line.startsWith("#")) return;
    const [date, test, known] = line.split(" | ").map((each) => each.trim());
    if (DATE.test(date) && test && known) listed.push({ date, test, known });
    else faults.push(`${LIST}:${at + 1} must be "date | Class.method | what is known": ${line}`);
  });
  return listed;
}

/** What to print, and what is wrong. */
function judge(found, text, today) {
  const faults = [];
  const lines = [];
  const listed = read(text, faults);
  for (const { date, test } of listed) {
    const days = Math.round((Date.parse(today) - Date.parse(date)) / 86_400_000);
    if (days > MOST_DAYS) {
      faults.push(`${test} is listed since ${date}, ${days} days, most=${MOST_DAYS}: repair it, then remove it from ${LIST}`);
    }
  }
  for (const test of found) {
    const known = listed.find((each) => each.test === test || each.test === test.split(".")[0]);
    if (known) lines.push(`${test}, listed since ${known.date}: ${known.known}`);
    else {
      faults.push(
        `${test} failed and then passed, and is not known to be flaky. Repair it; or, if the cause does not show, ` +
          `add to ${LIST}: ${today} | ${test} | what is known`,
      );
    }
  }
  return { faults, lines };
}

function selfTest() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "flaky-tests."));
  try {
    const reports = path.join(folder, "module/target/surefire-reports/again");
    fs.mkdirSync(reports, { recursive: true });
    fs.writeFileSync(
      path.join(reports, "TEST-a.b.SlowTest.xml"),
      `<testsuite name="a.b.SlowTest" tests="4" flakes="2">
         <testcase name="shouldPass" classname="a.b.SlowTest" time="0.1"/>
         <testcase name="shouldWait(int)[2]" classname="a.b.SlowTest" time="0.1">
           <flakyFailure message="a &quot;late&quot; answer" type="java.lang.AssertionError"><stackTrace/></flakyFailure>
         </testcase>
         <testcase name="shouldEnd" classname="a.b.SlowTest" time="0.1"><flakyError type="E"/></testcase>
         <testcase name="shouldBeSkipped" classname="a.b.SlowTest"><skipped/></testcase>
       </testsuite>`,
    );
    const found = flakes(folder);
    assert.deepEqual(found, ["SlowTest.shouldEnd", "SlowTest.shouldWait"]);

    const none = judge(found, "# nothing\n", "2026-11-27");
    assert.equal(none.faults.length, 2);
    assert.match(none.faults[0], /^SlowTest.shouldEnd failed and then passed.*docs\/flaky-tests.txt: 2026-11-27/);

    const all = "2026-09-28 | SlowTest.shouldEnd | busy\n2026-11-01 | SlowTest | sockets\n";
    assert.deepEqual(judge(found, all, "2026-11-27").faults, []);
    assert.deepEqual(judge(found, all, "2026-11-27").lines, [
      "SlowTest.shouldEnd, listed since 2026-09-28: busy",
      "SlowTest.shouldWait, listed since 2026-11-01: sockets",
    ]);
    assert.deepEqual(judge([], all, "2026-11-28").faults, [
      "SlowTest.shouldEnd is listed since 2026-09-28, 61 days, most=60: repair it, then remove it from docs/flaky-tests.txt",
    ]);
    assert.match(judge([], "yesterday | SlowTest\n", "2026-11-28").faults[0], /^docs\/flaky-tests.txt:1 must be/);
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
}

if (process.argv[2] === "--self-test") {
  selfTest();
} else {
  const [folder, today] = process.argv.slice(2);
  if (!folder || !DATE.test(today ?? "")) {
    console.error("usage: node scripts/flaky-tests.mjs DIR DATE | --self-test");
    process.exit(2);
  }
  const found = flakes(folder);
  const list = new URL(`../${LIST}`, import.meta.url);
  const { faults, lines } = judge(found, fs.readFileSync(list, "utf8"), today);
  console.log(`Flaky: ${found.length === 0 ? "none" : ""}`);
  lines.forEach((line) => console.log(`  ${line}`));
  faults.forEach((fault) => console.error(fault));
  process.exit(faults.length === 0 ? 0 : 1);
}
