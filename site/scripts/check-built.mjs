// Checks .vitepress/dist: nothing is loaded from another host, links with an anchor find it, and no
// path of a machine has slipped in. VitePress itself fails on links to pages that do not exist.
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

for (const [file, text] of pages) {
  for (const [, href] of text.matchAll(/<a\b[^>]*?\shref="([^"]+)"/g)) {
    const [path, anchor] = href.split('#')
    if (!anchor || /^[a-z]+:/.test(href)) {
      continue
    }
    let target = path === '' ? file : path.startsWith(base) ? path.slice(base.length) : join(dirname(file), path)
    if (target === '' || target.endsWith('/')) {
      target += 'index.html'
    }
    const page = pages.get(target)
    const id = decodeURIComponent(anchor)
    if (!page || !(page.includes(`id="${id}"`) || page.includes(`id="${anchor}"`))) {
      faults.push(`${file}: link finds no anchor: ${href}`)
    }
  }
}

if (pages.size < 24) {
  faults.push(`fewer pages than the site has: ${pages.size}`)
}
if (faults.length > 0) {
  faults.forEach((fault) => console.error('site: ' + fault))
  process.exit(1)
}
console.log(`site: ${pages.size} pages, no external loads, all anchors found`)
