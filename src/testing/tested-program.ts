import { join } from 'node:path'

const compiled = process.env.TESTED_PROGRAM

/**
 * Words that start `inferd`: the executable that `scripts/run-tests.ts` compiles for a whole run, which starts in a
 * third of the time, or the sources.
 */
export const testedProgram: readonly string[] =
  compiled === undefined ? [process.execPath, join(import.meta.dir, '..', 'main.ts')] : [compiled]
