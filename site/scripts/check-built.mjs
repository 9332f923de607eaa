// Checks .vitepress/dist: nothing is loaded from another host, links find their file and anchor, those
// of the Javadoc too, and no path of a machine has slipped in.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const site = resolve(dirname(fileURLToPath(import.meta.url)), '..')
const dist = join(site, '.vitepress/dist')
const base = process.env.SITE_BASE ?? '/'
const faults = []

const files = readdirSync(dist, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath ?? entry.path, entry.name).slice(dist.length + 1))
const pages = new Map()

for (const file of files.filter((name) => /\.(html|css)$/.test(name))) {
  const text = readFileSync(join(dist, file), 'utf8')
  const loads = [
    ...text.matchAll(/<(?:script|img|iframe|source|video|audio)\b[^>]*?\ssrc="((?:https?:)?\/\/[^"]+)"/g),
    ...text.matchAll(/<link\b[^>]*?\shref="((?:https?:)?\/\/[^"]+)"/g),
    ...text.matchAll(/url\(["']?((?:https?:)?\/\/[^)"']+)/g),
    ...text.matchAll(/@import\s+["']((?:https?:)?\/\/[^"']+)/g)
  ]
  loads.forEach((match) => faults.push(`${file}: loads from another host: ${match[1]}`))
  if (file.endsWith('.html')) {
    pages.set(file, text)
    const path = text.match(/(?:\/(?:home|root|work|Users|tmp)\/|[A-Z]:\\Users\\)[\w.\\/-]*/)
    if (path) {
      faults.push(`${file}: holds a path of a machine: ${path[0]}`)
    }
  }
}

/** The ids of a page, read once. */
const ids = new Map()
function idsOf(page) {
  if (!ids.has(page)) {
    ids.set(page, new Set([...pages.get(page).matchAll(/\sid="([^"]+)"/g)].map((match) => entities(match[1]))))
  }
  return ids.get(page)
}

const there = new Set(files)
const entities = (text) => text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')
for (const [file, text] of pages) {
  for (const [, href] of text.matchAll(/<a\b[^>]*?\shref="([^"]+)"/g)) {
    const [path, anchor] = href.split('#')
    if (/^[a-z]+:/.test(href)) {
      continue
    }
    let target = path === '' ? file : path.startsWith(base) ? path.slice(base.length) : join(dirname(file), path)
    if (target === '' || target.endsWith('/')) {
      target += 'index.html'
    }
    if (!there.has(target.split('?')[0])) {
      faults.push(`${file}: link finds no file: ${href}`)
    } else if (anchor && pages.has(target) && !anchor.startsWith('type-param-')) { // Javadoc links those that have no text
      const found = idsOf(target)
      if (!found.has(anchor) && !found.has(decodeURIComponent(anchor)) && !found.has(entities(decodeURIComponent(anchor)))) {
        faults.push(`${file}: link finds no anchor: ${href}`)
      }
    }
  }
}

const apiPages = [...pages.keys()].filter((file) => file.startsWith('api/')).length
if (process.env.SITE_API === '1' && apiPages < 500) {
  faults.push(`fewer pages of Javadoc than there are public types: ${apiPages}`)
}
if (pages.size < 24) {
  faults.push(`fewer pages than the site has: ${pages.size}`)
}
if (faults.length > 0) {
  faults.slice(0, 50).forEach((fault) => console.error('site: ' + fault))
  console.error(`site: ${faults.length} faults`)
  process.exit(1)
}
console.log(`site: ${pages.size - apiPages} pages, ${apiPages} of Javadoc, no external loads, all links and anchors found`)
