// Writes the code and the tables that pages have from the sources, as parts.mjs describes, so that pages can be read where
// they are and cannot drift. No network, no Java. Fails with one line per fault.
//
//   node site/scripts/generate.mjs            writes the pages
//   node site/scripts/generate.mjs --check    writes none, and fails for each that is not as its sources
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { linkFaults } from './links.mjs'
import { blocks, pages } from './page-commands.mjs'
import { withParts } from './parts.mjs'

const site = resolve(dirname(fileURLToPath(import.meta.url)), '..')
const root = resolve(site, '..')
const isCheck = process.argv[2] === '--check'
if (process.argv.length > (isCheck ? 3 : 2)) {
  console.error('usage: node site/scripts/generate.mjs [--check]')
  process.exit(2)
}
const api = 'sdk-api/src/main/java/dev/headway/api/'
const faults = []

const read = (path) => readFileSync(join(root, path), 'utf8').replaceAll('\r\n', '\n')

/** Javadoc to Markdown: {@code x} and {@link A#b} become code, line breaks become blanks. */
function markdown(javadoc) {
  return javadoc
    .replace(/^\s*\*\s?/gm, '')
    .replace(/\s+/g, ' ')
    .replace(/\{@code\s+([^}]*)\}/g, (_, code) => '`' + code.trim() + '`')
    .replace(/\{@link\s+#?([\w.#]+)(?:\([^)]*\))?\s*([^}]*)\}/g, (_, target, text) =>
      '`' + (text || target.replace('#', '.')) + '`')
    .replace(/<em>(.*?)<\/em>/g, '*$1*')
    .replaceAll('|', '\\|')
    .trim()
}

/** Constants of an enum whose constructor takes a label, each with its Javadoc. */
function constants(path) {
  const source = read(path)
  const body = source.slice(source.search(/\benum \w+ \{/))
  const list = body.slice(0, body.search(/^\s*private final/m))
  const found = []
  for (const match of list.matchAll(/\/\*\*([\s\S]*?)\*\/\s*([A-Z][A-Z0-9_]*)\("([^"]*)"\)/g)) {
    found.push({ constant: match[2], label: match[3], text: markdown(match[1]) })
  }
  const named = [...list.matchAll(/^ {2}([A-Z][A-Z0-9_]*)\(/gm)].map((match) => match[1])
  for (const name of named) {
    if (!found.some((each) => each.constant === name)) {
      faults.push(`${path}: constant has no Javadoc that this script can read: ${name}`)
    }
  }
  if (found.length === 0) {
    faults.push(`${path}: no constants found`)
  }
  return found
}

// --- wait reasons -------------------------------------------------------------------------------

/** Who has the reason, by the first words of its Javadoc. A new wording must be added here. */
const OWNERS = [
  [/^Queued after/, 'new in the queue', 'none'],
  [/^Held/, 'held', 'own'],
  [/^No request is admitted, or none is scheduled/, 'waiting', 'shared', 'running too'],
  [/^(Admissions ended|No admission)/, 'waiting', 'shared'],
  [/^Examined/, 'head of the queue', 'own'],
  [/^Not examined/, 'waiting', 'shared'],
  [/^Running/, 'running', 'own'],
  [/^Preempted in this step/, 'waiting again', 'own']
]

/** Pages that say of each reason when it can be seen, and how many there are. */
function mustKnowReasons(reasons) {
  const page = 'site/reference/wait-reasons.md'
  const when = read(page).split('## Which can be seen when')[1]?.split('\n## ')[0] ?? ''
  for (const { label } of reasons.filter(({ label }) => !when.includes(`\`${label}\``))) {
    faults.push(`${page}: "Which can be seen when" must name ${label}`)
  }
  for (const [file, words] of [[page, `All ${reasons.length} can occur`], ['README.md', `${reasons.length} reasons`]]) {
    if (!read(file).includes(words)) faults.push(`${file}: must say "${words}"`)
  }
}

function waitReasons() {
  const path = api + 'schedule/WaitReason.java'
  mustKnowReasons(constants(path))
  const rows = constants(path).map(({ label, text }) => {
    const owner = OWNERS.find(([pattern]) => pattern.test(text))
    if (!owner) {
      faults.push(`${path}: cannot tell who has the reason, add its wording to generate.mjs: ${label}`)
      return ''
    }
    const alsoRunning = owner[3] || (owner[1] !== 'running' && /(; or a|for a) running request/.test(text))
    const alsoWaiting = owner[1] === 'running' && /\. Waiting: not examined/.test(text)
    const who = owner[1] + (owner[2] === 'none' ? '' : ` (${owner[2]})`)
    return `| <a id="${label}"></a>\`${label}\` | ${who}${alsoRunning ? ', running (own)' : ''}${alsoWaiting ? ', waiting (shared)' : ''} | ${text} |`
  })
  return ['| label | who (kind of reason) | exact condition |', '|---|---|---|', ...rows]
}

function labelled(path, heading) {
  const rows = constants(path).map(({ constant, label, text }) => `| \`${constant}\` | \`${label}\` | ${text} |`)
  return [`| ${heading} | label | condition |`, '|---|---|---|', ...rows]
}

// --- probes --------------------------------------------------------------------------------------

/** The methods of a probe: how they are written, and their Javadoc. */
function probeMethods() {
  const path = api + 'probe/Probe.java'
  const found = [...read(path).matchAll(/\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*(?:@Override\s*)?default (\S+) (\w+\([^)]*\)) \{/g)]
  if (found.length < 10) faults.push(`${path}: must have a method with Javadoc for each event: found=${found.length}`)
  const rows = found.map(([, doc, type, method]) => `| \`${type === 'void' ? '' : type + ' '}${method}\` | ${markdown(doc)} |`)
  return ['| method | called when |', '|---|---|', ...rows]
}

// --- what can be read --------------------------------------------------------------------------

/** The accessors of a type with the first sentence of their Javadoc: its public methods up to its builder, none of which is static. */
function accessors(path) {
  const source = read(path).split(/\n {2}(?:\/\*\*(?:(?!\*\/)[\s\S])*\*\/\s*)?public static final class Builder/)[0]
  const isInterface = /^public (?:sealed )?interface /m.test(source)
  const method = isInterface
    ? /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*((?:@\w+\s+)*)(?:default )?([\w<>.,? ]+?) (\w+\([^)]*\))(?:;| \{)/g
    : /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*((?:@\w+\s+)*)public (?:@Nullable )?(?!static|record|final|class)([\w<>.,? ]+?) (\w+\([^)]*\)) \{/g
  const found = [...source.matchAll(method)].map(([all, doc, , type, called]) => ({
    called: `${type} ${called.replace(/\s+/g, ' ')}`,
    isNullable: /@Nullable/.test(all.slice(all.lastIndexOf('*/'))),
    text: markdown(doc.replace(/\{@linkplain\s+\S+\s+([^}]*)\}/g, '$1').split(/\n\s*\*\s*(?:<p>|@)/)[0]).replace(/^([\s\S]*?[.])(?: [A-Z][\s\S]*)?$/, '$1').replaceAll('dev.headway.api.', '')
  }))
  if (found.length === 0) faults.push(`${path}: must have methods with Javadoc`)
  return found
}

/** What each event of a probe has beside what all have. */
function eventAccessors() {
  const rows = readdirSync(join(root, api, 'probe'))
    .filter((file) => /^\w+Event\.java$/.test(file) && !['ProbeEvent.java', 'RequestEvent.java'].includes(file))
    .sort()
    .map((file) => {
      const name = file.replace('.java', '')
      const path = api + 'probe/' + file
      const isOfRequest = read(path).includes(`interface ${name} extends RequestEvent`)
      const own = /interface \w+ extends \w+ \{\}/.test(read(path)) ? [] : accessors(path)
      const all = [...(isOfRequest ? [{ called: 'RequestView request()' }] : []), ...own]
      return `| \`${name}\` | ${all.map((each) => '`' + each.called + '`' + (each.isNullable ? ' or null' : '')).join(', ')} |`
    })
  return ['| event | can be asked for |', '|---|---|', ...rows]
}

/** A table of what a type can be asked for. */
function accessorTable(...paths) {
  const rows = paths.flatMap((path) => accessors(api + path)).map((each) => `| \`${each.called}\` | ${each.text} |`)
  return ['| method | is |', '|---|---|', ...rows]
}

// --- policies -----------------------------------------------------------------------------------

const policies = 'sdk-scheduler/src/main/java/dev/headway/scheduler/policy/'
const DECISIONS = ['order', 'victim', 'capacity', 'tokens']

/** The built-in policies: what their table says of them, and the sources that their classes name. */
function builtIns() {
  const file = `${policies}BuiltInPolicies.java`
  const table = read(file)
  const found = []
  for (const entry of table.match(/^ {4}add\([\s\S]*?;$/gm) ?? []) {
    const [, name, said, recipe] = entry.match(/^ {4}add\(\s*"([^"]+)",\s*((?:"[^"]*"\s*\+?\s*)+),([\s\S]*)$/) ?? []
    if (!name) {
      faults.push(`${file}: must be add("name", "description", how): ${entry}`)
      continue
    }
    const text = [...said.matchAll(/"([^"]*)"/g)].map((match) => match[1]).join('')
    const parts = text.match(/^([^:]+): ([\s\S]*?) ?(?:No options\.|Options: ([\s\S]*)\.)$/)
    if (!parts) {
      faults.push(`${file}: description must be "Decision: what. Options: …." or "… No options.": ${text}`)
      continue
    }
    const { decision, source } = madeBy(table, name, recipe)
    const what = parts[2].charAt(0).toUpperCase() + parts[2].slice(1)
    found.push({ rank: DECISIONS.indexOf(decision), name, decision: parts[1], what, options: parts[3] ?? '–', source })
  }
  return found.sort((a, b) => a.rank - b.rank || (a.name < b.name ? -1 : 1))
}

/** The package of the class or constant that an entry makes, and the source that its doc names. */
function madeBy(table, name, recipe) {
  const method = recipe.match(/BuiltInPolicies::(\w+)/)
  const code = method ? table.match(new RegExp(`Policies\\.Builder ${method[1]}\\([\\s\\S]*?\\n {2}\\}`))[0] : recipe
  for (const [, type, constant] of code.matchAll(/\b([A-Z]\w+)(?:\.([A-Z_]+)\b)?/g)) {
    const decision = DECISIONS.find((each) => readdirSync(join(root, policies, each)).includes(`${type}.java`))
    if (decision) {
      const source = read(`${policies}${decision}/${type}.java`)
      const before = source.slice(0, constant ? source.indexOf(` ${constant} =`) : source.indexOf('\npublic '))
      const doc = before.slice(before.lastIndexOf('/**')).match(/<p>Source:([\s\S]*?)(?:\n *\*\n|\*\/)/)
      return { decision, source: doc ? markdown(doc[1]).replace(/\.$/, '') : '' }
    }
  }
  faults.push(`${policies}BuiltInPolicies.java: must say which class makes \`${name}\``)
  return { decision: '', source: '' }
}

function policyTable(all) {
  const rows = all.map((each) => `| <a id="${each.name}"></a>\`${each.name}\` | ${each.decision} | ${each.what} | ${each.options.replaceAll('<', '&lt;')} | ${each.source} |`)
  return ['| name | decides | how | options | source |', '|---|---|---|---|---|', ...rows]
}

/** The hand-written formulas: a row for each built-in policy. */
function mustHaveFormula(page, all) {
  const text = readFileSync(join(site, page), 'utf8')
  all.filter((each) => !text.includes(`| [\`${each.name}\`](#${each.name}) |`)).forEach((each) =>
    faults.push(`${page}: must have a formula of \`${each.name}\``))
}

// --- checks of hand-written pages -----------------------------------------------------------------

/** Every option of the code must be on the page that claims to list them all. */
function mustName(page, path, pattern) {
  const text = readFileSync(join(site, page), 'utf8')
  const names = [...read(path).matchAll(pattern)].map((match) => match[1])
  if (names.length === 0) {
    faults.push(`${path}: no names found for ${page}`)
  }
  for (const name of new Set(names)) {
    if (!text.includes('`' + name + '`')) {
      faults.push(`${page}: must name \`${name}\` (from ${path})`)
    }
  }
}

/** The headers of the golden CSV files must be the columns of the reference page. */
function csvReferenceMatchesGoldenHeaders() {
  const page = readFileSync(join(site, 'reference/csv.md'), 'utf8')
  const golden = 'probes-csv/src/test/resources/golden'
  const run = readdirSync(join(root, golden)).sort()[0]
  for (const part of page.split(/^## /m).slice(1)) {
    const file = part.slice(0, part.indexOf('\n')).trim()
    const columns = [...part.matchAll(/^\| `([^`]+)` \|/gm)].map((match) => match[1]).join(',')
    const header = read(`${golden}/${run}/${file}`).split('\n')[0]
    if (columns !== header) {
      faults.push(`reference/csv.md: columns of ${file} are not those of ${golden}/${run}: run scripts/csv-reference.sh`)
    }
  }
}

// --- everything ----------------------------------------------------------------------------------

// The dashboard for Grafana: the file to download, and what is on it, row by row.
const grafana = 'probes-otel/src/main/resources/dev/headway/probes/otel/grafana-headway.json'
writeFileSync(join(site, 'public/grafana-headway.json'), read(grafana))

function dashboardTable() {
  const rows = []
  for (const panel of JSON.parse(read(grafana)).panels) {
    if (panel.type === 'row') {
      rows.push({ title: panel.title, panels: [] })
    } else {
      rows.at(-1).panels.push(panel.title)
    }
  }
  return ['| row | panels |', '|---|---|', ...rows.map((row) => `| ${row.title} | ${row.panels.join('; ')} |`)]
}

const all = builtIns()
const tables = {
  'wait-reasons': waitReasons(),
  'finish-reasons': labelled(api + 'request/FinishReason.java', 'reason'),
  'reject-reasons': labelled(api + 'request/RejectReason.java', 'reason'),
  'preemption-causes': labelled(api + 'schedule/PreemptionCause.java', 'cause'),
  'probe-methods': probeMethods(),
  'event-accessors': eventAccessors(),
  'request-view': accessorTable('request/RequestView.java', 'request/PlannedRequest.java'),
  'step-view': accessorTable('policy/StepView.java'),
  request: accessorTable('request/Request.java'),
  policies: policyTable(all),
  grafana: dashboardTable()
}
for (const page of pages(root)) {
  const text = readFileSync(join(root, page), 'utf8')
  const written = withParts(root, page, text, tables, faults)
  if (text !== written && isCheck) {
    faults.push(`${page}: must be as its sources: run node site/scripts/generate.mjs`)
  } else if (text !== written) {
    writeFileSync(join(root, page), written)
  }
}

mustHaveFormula('reference/policies.md', all)
mustName('guide/routing.md', 'sdk-routing/src/main/java/dev/headway/routing/policy/builtin/BuiltInRouting.java', /^ {4}add\(\s*"([^"]+)"/gm)

const options = 'reference/configuration.md'
mustName(options, api + 'config/SchedulerConfig.java', /public Builder (?!toBuilder)(\w+)\(/g)
mustName(options, api + 'config/SchedulerLimits.java', /public Builder (\w+)\(/g)
for (const file of ['AdmissionOptions', 'Displacement', 'PipelineOptions', 'PrefixRetention', 'QueueLimits', 'SpeculationOptions']) {
  mustName(options, api + `config/${file}.java`, /^ \* @param (\w+)/gm)
}
mustName(options, api + 'config/PrefixCacheOptions.java', /public Builder (\w+)\(/g)
mustName(options, api + 'config/SpeculationOptions.java', /public Builder (\w+)\(/g)
mustName(options, api + 'request/SamplingParams.java', /public Builder (?!toBuilder)(\w+)\(/g)
for (const file of ['AsyncScheduling', 'ChunkedPrefill', 'Compatibility', 'Drafting', 'FullSequenceGate', 'LonePrefill', 'ModelRunner', 'QueuePolicy', 'SpeculativeMethod']) {
  mustName(options, api + `config/${file}.java`, /^ {2}([A-Z][A-Z0-9_]+)[,;]?$/gm)
}
mustName(options, api + 'request/RepetitionRule.java', /public Builder (\w+)\(/g)
mustName(options, api + 'request/StopRule.java', /public StopRule ((?:with|ignoring)\w+)\(/g)
mustName(options, api + 'kvcache/KvGroup.java', /record (\w+)\(/g)
mustName(options, api + 'kvcache/KvCacheShape.java', /public Builder (\w+)\(/g)
mustName(options, api + 'executor/ExecutorShape.java', /public Builder (\w+)\(/g)
mustName(options, api + 'request/Request.java', /public Builder (\w+)\(/g)
mustName(options, 'sdk-scheduler/src/main/java/dev/headway/scheduler/engine/EngineBuilder.java', /public EngineBuilder (\w+)\(/g)
mustName(options, 'apps/executor-vector/src/main/java/dev/headway/executor/vector/VectorExecutorBuilder.java', /public VectorExecutorBuilder (\w+)\(/g)
mustName(options, 'sdk-executor-host/src/main/java/dev/headway/executor/reference/ReferenceExecutorBuilder.java', /public ReferenceExecutorBuilder (\w+)\(/g)
const journal = 'probes-chronicle/src/main/java/dev/headway/probes/chronicle/JournalOptions.java'
mustName('guide/journal.md', journal, /<td>(\w+)<\/td><td>headway\.journal/g)
mustName('guide/journal.md', journal, /<td>(headway\.journal\.\w+)<\/td>/g)
mustName('guide/journal.md', journal, /"(HEADWAY_\w+|VLLM_\w+)"/g)
csvReferenceMatchesGoldenHeaders()
pages(root).forEach((page) => blocks(root, page, faults))
linkFaults(root, faults)

if (faults.length > 0) {
  faults.forEach((fault) => console.error('site: ' + fault))
  process.exit(1)
}
