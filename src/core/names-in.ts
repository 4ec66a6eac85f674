import { readdirSync } from 'node:fs'

/** Returns the sorted names in a folder; none if it does not exist or cannot be read. */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort()
  } catch {
    return []
  }
}
