import { readdirSync } from 'node:fs'

/** Returns the names in a folder, sorted; none where it does not exist or cannot be read. */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort()
  } catch {
    return []
  }
}
