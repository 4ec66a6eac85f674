import { join } from 'node:path'
import { textParts } from '../../../src/testing/text-parts.ts'

export interface RunningUpstream extends AsyncDisposable {
  /** Ends with `/v1`. */
  readonly baseUrl: string
}

/** Starts the scripted server in a separate process, with a model per pace. */
export async function startScriptedUpstream(pacesMs: readonly number[]): Promise<RunningUpstream> {
  const script = join(import.meta.dir, 'scripted-server.ts')
  const child = Bun.spawn([process.execPath, script, pacesMs.join(',')], { stdout: 'pipe', stderr: 'inherit' })
  const { value: baseUrl } = await textParts(child.stdout).next()
  if (baseUrl === undefined) throw new Error('the scripted server ended')
  return {
    baseUrl,
    [Symbol.asyncDispose]: async () => {
      child.kill()
      await child.exited
    },
  }
}
