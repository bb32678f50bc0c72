/** What `charcoal-measure help` says; the options here are the ones that are parsed. */
import type { Option } from './args.ts'

const results: Option[] = [
  {
    name: 'html',
    value: 'FILE',
    optional: true,
    help: 'write the report as one HTML file (default: beside the trace)',
  },
  {
    name: 'json',
    value: 'FILE',
    optional: true,
    help: 'write the figures as JSON (default: to standard output, which the program then does not get)',
  },
  { name: 'export', value: 'perfetto[=FILE]', help: "write the trace for Perfetto's and Chrome's viewers" },
  {
    name: 'baseline',
    value: 'FILE',
    help: 'an earlier trace, or its --json: exit with status 7 if there is a conflict that it has not',
  },
  { name: 'title', value: 'TEXT', help: 'shown in reports' },
  { name: 'quiet', help: 'no progress' },
]

const recording: Option[] = [
  { name: 'out', value: 'FILE', help: 'the trace (default: charcoal-DATE.jsonl)' },
  {
    name: 'mode',
    value: 'full|fast',
    help: 'full (default): promises, places in the source, 15 µs an await; fast: less of both; `node` also has sample',
  },
  { name: 'duration', value: 'TIME', help: 'stop after 30s, 500ms, 2m …' },
  { name: 'no-calibrate', help: 'without the self-test before the recording' },
]

export interface Command {
  usage: string
  help: string
  options: Option[]
}

export const commands: Record<string, Command> = {
  web: {
    usage: 'web URL [options]',
    help: `Opens the page in a browser of its own and records it, its frames and its workers, for 10 s or as long as
--duration or --script says. Ctrl-C ends it, too.
The script is a module: export default async function ({ page, endpoint, signal, log }) { await page.click('#go') … }
page has goto click doubleClick hover type press mouse move drag scroll waitFor waitForNo waitForFunction visible
evaluate sleep screenshot.
Selectors are CSS, or text=… for an element's whole text.`,
    options: [
      ...recording,
      { name: 'script', value: 'FILE', help: 'steps to take on the page' },
      { name: 'browser', value: 'PATH', help: 'the browser (default: $CHROMIUM, then what is installed)' },
      { name: 'browser-arg', value: 'ARG', help: 'a further argument for it; may be given several times' },
      { name: 'show', help: 'with a window' },
      { name: 'load-timeout', value: 'TIME', help: 'for the page to load (default 30s)' },
      { name: 'keep', value: 'FILE', help: "keep the browser's own trace, too" },
      { name: 'own', value: 'HOST', help: 'a further host, or package, whose scripts count as your own' },
      { name: 'no-accesses', help: "do not watch what the page's own scripts read and write" },
      ...results,
    ],
  },
  node: {
    usage: 'node [options] PROGRAM [ARGUMENTS …]',
    help: `Runs the program and records its main thread and its workers until it ends. Ctrl-C ends it, and the report
covers what was recorded. The exit status is the program's own. Options for charcoal-measure stand before the program.
A command that starts Node does as well: charcoal-measure node npm run dev. Child processes are recorded, too.
--mode sample records 100 ms of every 4 s, for servers in production.`,
    options: [
      ...recording,
      { name: 'node-arg', value: 'ARG', help: 'a further argument for Node itself; may be given several times' },
      { name: 'own', value: 'PACKAGE', help: 'a package whose code counts as your own; may be given several times' },
      { name: 'no-accesses', help: "do not watch what the program's own code reads and writes" },
      ...results,
    ],
  },
  'c-program': {
    usage: 'c-program [options] PROGRAM [ARGUMENTS …]',
    help: `Runs a program that charcoal-cc has compiled, and reports on its activities. Conflicts are seen if it was
compiled with -fcharcoal-atomicity; CHARCOAL_ATOMICITY says which, as always. The exit status is the program's own.`,
    options: [...recording.filter((o) => o.name === 'out' || o.name === 'duration'), ...results],
  },
  attach: {
    usage: 'attach PORT [options]',
    help: `Records what runs already, until Ctrl-C or for --duration; it goes on afterwards. PORT, or host:port, is that
of \`node --inspect\` (a program that was started without: kill -USR1 PID opens port 9229), or of a browser that was
started with --remote-debugging-port; there the tab used last is recorded, or the one that --page finds.`,
    options: [
      ...recording.filter((o) => o.name !== 'no-calibrate'),
      { name: 'page', value: 'TEXT', help: 'the tab that has this in its address or title' },
      ...results,
    ],
  },
  trace: {
    usage: 'trace FILE [options]',
    help: "Reports on a trace: one in our format, or a Chrome trace (the DevTools' Performance panel saves them).",
    options: [
      { name: 'out', value: 'FILE', help: 'keep a converted Chrome trace in our format' },
      { name: 'truncated', help: 'read a file that breaks off as far as it goes' },
      ...results,
    ],
  },
  report: {
    usage: 'report RECORDING … [options]',
    help: 'Reports on several recordings: pooled, and side by side.',
    options: [{ name: 'truncated', help: 'read files that break off as far as they go' }, ...results],
  },
  corpus: {
    usage: 'corpus [NAME …] [options]',
    help: `The papers' study: installs real applications from the registries, records web applications in scripted
sessions and Node servers under load, going round them all several times, and pools the figures. Traces, figures,
tables and report.html go to a folder; what is recorded there already is not recorded again.`,
    options: [
      { name: 'out', value: 'FOLDER', help: 'default: study' },
      { name: 'seconds', value: 'TIME', help: 'length of a session with a web application (default 20s)' },
      { name: 'load', value: 'TIME', help: 'length of the load on a server (default 8s)' },
      { name: 'runs', value: 'N', help: 'recordings of each application (default 5); more than that are not used' },
      { name: 'page', value: 'FILE', help: 'a Markdown page into which the tables are put, between its marks' },
      { name: 'from', value: 'FILE', help: 'record nothing: tables and figures of a study.json' },
      {
        name: 'cache',
        value: 'FOLDER',
        help: 'where the applications are installed (default: in your cache folder; 2 GB)',
      },
      { name: 'mode', value: 'fast|full', help: 'as for `web`' },
      { name: 'quiet', help: 'no progress' },
    ],
  },
}

export function help(topic?: string): string {
  const command = topic === undefined ? undefined : commands[topic]
  if (command !== undefined) {
    const width = Math.max(...command.options.map((o) => signature(o).length)) + 2
    const options = command.options.map((o) => `  ${signature(o).padEnd(width)}${o.help}\n`).join('')
    return `charcoal-measure ${command.usage}\n\n${command.help}\n${options === '' ? '' : '\n'}${options}`
  }
  return `charcoal-measure: continuation trees of unmodified Chromium and Node, and where atomicity is at risk

${Object.values(commands)
  .map((c) => `  charcoal-measure ${c.usage}\n`)
  .join('')}
charcoal-measure help COMMAND tells more. Exit status: 0 fine; 1 an error; 2 wrong use, a file is missing; 3 a trace
cannot be read; 4 no browser; 5 the page does not load; 6 the steps failed (the recording is kept); 7 a conflict that
the baseline has not; \`node\`: the program's own.
`
}

const signature = (o: Option): string =>
  `--${o.name}${o.value === undefined ? '' : o.optional === true ? `[=${o.value}]` : ` ${o.value}`}`
