/** Writes the dialects' fixtures anew, after a change that is meant: read the difference before it is committed. */
import { wireFixtures } from '../src/testing/wire-fixtures.ts'

for (const { path, bytes } of wireFixtures()) await Bun.write(path, bytes)
