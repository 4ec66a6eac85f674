import { readFileSync } from 'node:fs'

/** Reads a file of `/proc` or `/sys`; undefined if this system does not have it. */
export function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
