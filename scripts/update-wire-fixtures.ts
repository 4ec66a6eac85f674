/** Writes the dialects' fixtures again after an intended change. Read the difference before you commit it. */
import { wireFixtures } from '../src/testing/wire-fixtures.ts'

for (const { path, bytes } of wireFixtures()) await Bun.write(path, bytes)
