/** What the running server says of itself. */
import { Type } from '@sinclair/typebox'
import { operation, runningServer } from './operation.ts'

/** Every setting with its value in force, where that was said, its default and its meaning. Secrets are `(set)`. */
export const listSettings = operation({
  callers: ['operator'],
  kind: 'read',
  input: Type.Object({}),
  run: (context) => runningServer(context).settings(),
})

/** The latest 500 lines of the log, the oldest first. */
export const tailLog = operation({
  callers: ['operator'],
  kind: 'read',
  input: Type.Object({}),
  run: (context) => {
    const { level, lines } = runningServer(context).log
    return { level, lines: lines() }
  },
})
