import type { GrantGate } from './grant-gate.ts'
import type { FakeAction } from './script.ts'

/** What any request may ask for, whatever it is about. */
export type FakeSideAction = Extract<
  FakeAction,
  { delayMs: unknown } | { log: unknown } | { waitForCancel: unknown } | { crash: unknown }
>

/** Waits end when `gate` closes; a crash is the end of the child. */
export async function performAction(action: FakeSideAction, gate: GrantGate): Promise<void> {
  if ('log' in action) process.stderr.write(`${action.log}\n`)
  else if ('delayMs' in action) await Promise.race([Bun.sleep(action.delayMs), gate.closed()])
  else if ('waitForCancel' in action) await gate.closed()
  else if (action.crash === 'exit') process.exit(7)
  else process.abort()
}
