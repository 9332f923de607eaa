/**
 * The anchor of a heading as GitHub makes it, and so this site, so that a link works in both: small letters, no punctuation,
 * hyphens for blanks.
 */
export function slug(text) {
  return text
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-')
}
