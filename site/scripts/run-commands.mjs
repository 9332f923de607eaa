// Runs the commands of README.md and of the pages of this site as a reader types them, from nothing: in a clone, with
// an empty home directory and so an empty local repository of Maven. Ends with 1 if one of them fails.
//
//   node site/scripts/run-commands.mjs [--first]          the pages that a reader begins with
//   node site/scripts/run-commands.mjs --all              all pages: an hour
//   node site/scripts/run-commands.mjs PAGE...            those, by their paths; commands of another page that they
//                                                         build on are not run
//   node site/scripts/run-commands.mjs --clone DIR ...    keeps the clone there, and the home directory beside it; a
//                                                         clone that is there is brought up to date: while writing
//   node site/scripts/run-commands.mjs --maven-opts OPTS  options of Maven's JVM, such as -Duser.language=tr
//   node site/scripts/run-commands.mjs --list             prints the blocks and does not run them
//
// The clone has what is committed, and changes of files that git knows. Pasted projects are built by the `mvn` and
// `gradle` of the PATH on a JDK 21; where there is none, on the newest that scripts/find-jdk.sh finds.
import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createConnection } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { blocks, pages } from './page-commands.mjs'

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..')
const FIRST = ['README.md', 'site/index.md', 'site/guide/getting-started.md']
const MINUTES = 30
const PORTS = { serve: 8000, route: 8080, 'spring-boot': 8080 }

const options = { pages: [], first: false, all: false, list: false, clone: null, 'maven-opts': '' }
const words = process.argv.slice(2)
while (words.length > 0) {
  const word = words.shift()
  if (word === '--first' || word === '--all' || word === '--list') {
    options[word.slice(2)] = true
  } else if (word === '--maven-opts' && words.length > 0) {
    options['maven-opts'] = words.shift()
  } else if (word === '--clone' && words.length > 0) {
    options.clone = resolve(words.shift())
  } else if (!word.startsWith('-') && existsSync(join(root, word))) {
    options.pages.push(word)
  } else {
    console.error(`run-commands: must be a page, or --first, --all, --list, --clone DIR, --maven-opts OPTS: ${word}`)
    process.exit(2)
  }
}

const faults = []
const every = pages(root)
if (options.pages.length > 0 && (options.first || options.all)) {
  console.error('run-commands: pages must not be named with --first or --all')
  process.exit(2)
}
const chosen = options.pages.length > 0 ? options.pages : options.all || (options.list && !options.first) ? every : FIRST
// A reader comes to the other pages behind those; later ones may use what those have installed.
const ordered = [...FIRST, ...every.filter((page) => !FIRST.includes(page))].filter((page) => chosen.includes(page))
const work = ordered.map((page) => ({ page, blocks: blocks(root, page, faults) }))
if (faults.length > 0) {
  faults.forEach((fault) => console.error('run-commands: ' + fault))
  process.exit(1)
}
if (options.list) {
  for (const each of work.flatMap((page) => page.blocks)) {
    const marks = Object.entries(each.marks).map(([name, value]) => (value ? `${name}=${value}` : name))
    if (marks.length > 0) {
      console.log(`${each.page}:${each.line} ${marks.join(' ')}`)
    }
  }
  process.exit(0)
}

// --- surroundings ---------------------------------------------------------------------------------

const scratch = mkdtempSync(join(tmpdir(), 'headway-pages-'))
const clone = options.clone ?? join(scratch, 'clone')
const home = options.clone ? join(dirname(clone), 'home') : join(scratch, 'home')
const repository = join(home, '.m2/repository')
const sh = (command, args, where = root) =>
  execFileSync(command, args, { cwd: where, encoding: 'utf8', maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'pipe'] })

mkdirSync(repository, { recursive: true })
if (existsSync(join(clone, '.git'))) {
  sh('git', ['fetch', '--quiet', 'origin', 'HEAD'], clone)
  sh('git', ['reset', '--quiet', '--hard', 'FETCH_HEAD'], clone)
} else {
  sh('git', ['clone', '--quiet', root, clone])
}
const changes = sh('git', ['diff', '--binary', 'HEAD'])
if (changes !== '') {
  console.log('With changes that are not committed.')
  execFileSync('git', ['apply', '-'], { cwd: clone, input: changes })
}
// Java finds the home directory in the password file, not in HOME: Maven is given it in the file that it reads first.
writeFileSync(join(home, '.mavenrc'), `MAVEN_OPTS="\${MAVEN_OPTS:-} -Duser.home=${home} ${options['maven-opts']}"\n`)

function findJdk(...version) {
  try {
    return sh(join(root, 'scripts/find-jdk.sh'), version).trim()
  } catch {
    return null
  }
}
const release = (jdk) => readFileSync(join(jdk, 'release'), 'utf8').match(/JAVA_VERSION="([^"]*)"/)[1]
const oldest = findJdk('21', '21') ?? findJdk('21')
if (!oldest) {
  console.error('run-commands: no JDK 21 or newer: scripts/find-jdk.sh 21')
  process.exit(1)
}
console.log(`Pasted projects: ${which('mvn') ? sh('mvn', ['-v']).split('\n')[0].replace(/\u001b\[[0-9;]*m/g, '') : 'no mvn on the PATH'}, Java ${release(oldest)}`)

const environment = { ...process.env, HOME: home, GRADLE_USER_HOME: join(home, '.gradle'), GRADLE_OPTS: `-Duser.home=${home}` }
for (const name of ['JAVA_HOME', 'JDK_JAVA_OPTIONS', 'MAVEN_OPTS', 'MAVEN_ARGS', 'MAVEN_USER_HOME', 'HEADWAY_OPTS', 'HEADWAY_CLASSPATH']) {
  delete environment[name]
}

/** Whether a program is on the PATH; of `python3:pandas`, whether that module of Python is there too. */
function which(name) {
  const [program, module] = name.split(':')
  if (module) {
    try {
      sh(program, ['-c', `import ${module}`])
    } catch {
      return false
    }
  }
  return (process.env.PATH ?? '').split(':').some((folder) => existsSync(join(folder, program)))
}

// --- a page as a script ---------------------------------------------------------------------------

/** Functions of the script. A server runs in the background, and the next command waits for its port. */
const PRELUDE = `set -eo pipefail
declare -A hw_servers
hw_block() { cd "$hw_root"; export PATH="$hw_path"; unset JAVA_HOME; printf '\\n@@ %s\\n' "$1"; }
hw_project() { cd "$1"; export JAVA_HOME="$hw_jdk" PATH="$hw_jdk/bin:$hw_path"; }
hw_open() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }
hw_stop() { if [ -n "\${hw_servers[$1]:-}" ]; then kill "\${hw_servers[$1]}" 2>/dev/null || true; wait "\${hw_servers[$1]}" || true; unset "hw_servers[$1]"; fi; }
hw_started() {
  hw_servers[$1]=$2
  until hw_open "$1"; do
    kill -0 "$2" 2>/dev/null || { echo "the server has ended before it listened: port=$1" >&2; exit 1; }
    sleep 0.2
  done
}
hw_path=$PATH
`

const quote = (text) => "'" + text.replaceAll("'", "'\\''") + "'"

/** The commands of a block: lines that a backslash or a here-document continues are one. */
function commands(text) {
  const found = []
  let end = null
  let open = ''
  for (const line of text.trimEnd().split('\n')) {
    open += (open ? '\n' : '') + line
    if (end) {
      end = line === end ? null : end
    } else {
      end = line.match(/<<-?'?(\w+)'?/)?.[1] ?? null
    }
    if (!end && !line.endsWith('\\')) {
      found.push(open)
      open = ''
    }
  }
  return found
}

function script(each) {
  let text = each.text
  for (const pair of (each.marks.with ?? '').split(';').filter(Boolean)) {
    const [name, ...value] = pair.split('=')
    text = text.replaceAll(new RegExp(`(?<![\\w-])${name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?![\\w])`, 'g'), value.join('='))
  }
  const lines = [`hw_block ${quote(`${each.page}:${each.line}`)}`]
  if (each.marks.run) {
    lines.push(`hw_project ${quote(each.marks.run)}`)
  }
  for (const command of commands(text)) {
    const server = command.match(/^(?:\w+=\S+ )*(?:\.\/headway (serve|route)(?![\w-])|(?:java|"\$\(\S+ *\)\S*java")\s.*-jar \S*(spring-boot))\b(?!.*--help)/s)
    if (server && !/&\s*(#.*)?$/.test(command)) {
      const port = command.match(/--port[ =](\d+)/)?.[1] ?? PORTS[server[1] ?? server[2]]
      lines.push(`hw_stop ${port}`, `${command.replace(/\s+# .*$/, '')} &`, `hw_started ${port} $!`)
    } else {
      lines.push(command)
    }
  }
  return lines.join('\n') + '\n'
}

/** A project around the dependencies of a page: what it leaves out is what each project has. */
function pomOf(each) {
  const managed = each.text.includes('headway-bom') || each.text.includes('<version>')
  const bom = `<dependencyManagement><dependencies><dependency><groupId>dev.headway</groupId><artifactId>headway-bom</artifactId>
    <version>0.1.0-SNAPSHOT</version><type>pom</type><scope>import</scope></dependency></dependencies></dependencyManagement>\n`
  const dependencies = each.text.includes('<dependencies>') ? each.text : `<dependencies>\n${each.text}</dependencies>\n`
  return `<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<groupId>com.example</groupId><artifactId>pasted</artifactId><version>1</version>
<properties><maven.compiler.release>21</maven.compiler.release><project.build.sourceEncoding>UTF-8</project.build.sourceEncoding></properties>
${managed ? '' : bom}${dependencies}<build><plugins><plugin><artifactId>maven-compiler-plugin</artifactId><version>3.14.1</version></plugin>
<plugin><groupId>org.codehaus.mojo</groupId><artifactId>exec-maven-plugin</artifactId><version>3.6.2</version></plugin></plugins></build></project>
`
}

function put(path, text) {
  mkdirSync(dirname(join(clone, path)), { recursive: true })
  writeFileSync(join(clone, path), text)
}

/** Writes the files of a page and returns its script, and the output that it must have by block. */
function prepare(page) {
  let text = `hw_root=${quote(clone)} hw_jdk=${quote(oldest)}\n${PRELUDE}`
  const expected = new Map()
  let last = null
  for (const each of page.blocks) {
    const where = `${each.page}:${each.line}`
    const lacks = (each.marks.needs ?? '').split(',').filter((program) => program && !which(program))
    if ('not-run' in each.marks) {
      notes.push(`${where}: not run: ${each.marks['not-run']}`)
    } else if (lacks.length > 0) {
      notes.push(`${where}: not run: not on this machine: ${lacks.join(', ')}`)
    } else if (each.marks.file) {
      put(each.marks.file, each.text)
    } else if (each.marks.pom) {
      put(join(each.marks.pom, 'pom.xml'), pomOf(each))
    } else if ('run' in each.marks) {
      text += script(each)
      last = where
    } else if ('output' in each.marks && last) {
      expected.set(last, each.text.trimEnd().split('\n'))
    }
  }
  return { text: text + 'hw_block end\n', expected, runs: last !== null }
}

// --- running ----------------------------------------------------------------------------------------

const notes = []
let failures = 0
let ran = 0

function connects(port) {
  return new Promise((done) => {
    const socket = createConnection({ host: '127.0.0.1', port })
    socket.on('connect', () => (socket.destroy(), done(true)))
    socket.on('error', () => done(false))
  })
}

function execute(text, onLine) {
  return new Promise((done) => {
    const child = spawn('bash', ['-c', text], { cwd: clone, env: environment, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
    const timer = setTimeout(() => (onLine(`run-commands: ended after ${MINUTES} minutes`), end('SIGKILL')), MINUTES * 60_000)
    const end = (signal) => {
      try {
        process.kill(-child.pid, signal)
      } catch {
        // all of it has ended
      }
    }
    for (const stream of [child.stdout, child.stderr]) {
      let rest = ''
      stream.setEncoding('utf8').on('data', (data) => {
        const lines = (rest + data).split('\n')
        rest = lines.pop()
        lines.forEach(onLine)
      })
    }
    child.on('exit', (status) => {
      clearTimeout(timer)
      end('SIGKILL')
      setTimeout(() => done(status ?? 1), 200) // what is still in the pipes
    })
  })
}

/** Whether the lines are in the output, in their order; `…` stands for any text. */
function missing(expected, output) {
  let at = 0
  for (const line of expected.filter((each) => each.trim() !== '')) {
    const pattern = new RegExp('^\\s*' + line.trim().split('…').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('.*') + '\\s*$')
    while (at < output.length && !pattern.test(output[at])) {
      at++
    }
    if (at++ === output.length) {
      return line
    }
  }
  return null
}

for (const page of work) {
  // What a reader begins with must hold without what another page has installed.
  if (FIRST.includes(page.page)) {
    rmSync(join(repository, 'dev/headway'), { recursive: true, force: true })
  }
  // What an earlier page has left would hide what this one forgets; builds and node's modules may stay.
  sh('git', ['clean', '-fdxq', '-e', 'target', '-e', 'node_modules'], clone)
  rmSync(join(clone, 'out'), { recursive: true, force: true })
  const { text, expected, runs } = prepare(page)
  if (!runs) {
    continue
  }
  for (const port of new Set(Object.values(PORTS))) {
    if (await connects(port)) {
      console.error(`run-commands: a port that the pages use must be free: port=${port}`)
      process.exit(1)
    }
  }
  let block = null
  let begun = 0
  const outputs = new Map()
  const close = (state) => block && console.log(`  ${block}  ${state}  ${((Date.now() - begun) / 1000).toFixed(1)} s`)
  console.log(page.page)
  const status = await execute(text, (line) => {
    if (line.startsWith('@@ ')) {
      close('ok')
      block = line === '@@ end' ? null : line.slice(3)
      begun = Date.now()
      ran += block ? 1 : 0
      outputs.set(block, [])
    } else {
      outputs.get(block)?.push(line)
    }
  })
  if (status !== 0) {
    failures++
    close('FAILED')
    console.log((outputs.get(block) ?? []).slice(-60).map((line) => '    | ' + line).join('\n'))
  }
  for (const [where, lines] of expected) {
    const line = outputs.has(where) ? missing(lines, outputs.get(where)) : null
    if (line !== null) {
      failures++
      console.log(`  ${where}  FAILED  its output must have: ${line}`)
      console.log(outputs.get(where).slice(-30).map((each) => '    | ' + each).join('\n'))
    }
  }
}

notes.forEach((note) => console.log(note))
console.log(`Commands of pages: blocks run ${ran}, failures ${failures}, left out ${notes.length}, local repository ${size(repository)} artifacts of Headway`)
rmSync(scratch, { recursive: true, force: true })
process.exit(failures > 0 ? 1 : 0)

function size(folder) {
  const ours = join(folder, 'dev/headway')
  return existsSync(ours) ? readdirSync(ours).length : 0
}
