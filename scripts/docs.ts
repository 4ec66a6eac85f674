/** Writes docs/reference from the tables of the code. A test compares the files with this output. */
import { join } from 'node:path'
import { referencePages } from './docs/pages.ts'

for (const [name, page] of Object.entries(referencePages)) {
  await Bun.write(join(import.meta.dir, '../docs/reference', name), page())
}
