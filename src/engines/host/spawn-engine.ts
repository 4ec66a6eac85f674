/** Starts engine children: this same program with the hidden word `engine`. */
import { join } from 'node:path'
import type { EngineKind } from '../../core/model.ts'
import type { FromEngine, ToEngine } from '../protocol/messages.ts'

export interface EngineChild {
  readonly pid: number
  send(message: ToEngine): void
  kill(signal: 'SIGTERM' | 'SIGKILL'): void
}

export interface EngineChildHandlers {
  onMessage(message: FromEngine): void
  /** Called once, after the last message. `reason` is the exit code or signal, in words. */
  onExit(reason: string): void
  onLogLine(line: string): void
}

/** Starts a child. `file` is a descriptor that the child gets as `memoryFile`. */
export type EngineSpawn = (kind: EngineKind, handlers: EngineChildHandlers, file?: number) => EngineChild

export interface SpawnOptions {
  /** Command that starts this program, such as `["bun", "src/main.ts"]` or `["/usr/bin/inferd"]`. */
  readonly command: readonly string[]
  /**
   * Environment variables passed on (library paths, device choice). Others stay out: an engine runs native code on
   * foreign files and must not hold secrets.
   */
  readonly environment: Readonly<Record<string, string>>
}

/**
 * Fixed variables. ONNX Runtime's builds send telemetry unless disabled before the process starts. A crash in ggml
 * would start a debugger, whose output hides the reason. Bun must not send crash reports; it would also read BUN_*
 * variables, so none are passed. CUDA numbers devices as `nvidia-smi` does.
 */
const fixedEnvironment = {
  ORT_DISABLE_TELEMETRY: '1',
  DO_NOT_TRACK: '1',
  GGML_NO_BACKTRACE: '1',
  CUDA_DEVICE_ORDER: 'PCI_BUS_ID',
}

/** Time to wait for the remaining stderr of an exited child. */
const drainLimitMs = 500

/** Returns the command that starts this program: the executable alone, or Bun with the main file in development. */
export function ownCommand(): string[] {
  const isCompiled = Bun.main.startsWith('/$bunfs/')
  return isCompiled ? [process.execPath] : [process.execPath, join(import.meta.dir, '..', '..', 'main.ts')]
}

export function engineSpawn(options: SpawnOptions): EngineSpawn {
  return (kind, handlers, file) => {
    const { promise: drained, resolve: logsDrained } = Promise.withResolvers<void>()
    const child = Bun.spawn([...options.command, 'engine', kind], {
      env: { ...options.environment, ...fixedEnvironment },
      stdio: ['ignore', 'ignore', 'pipe', ...(file === undefined ? [] : [file])],
      serialization: 'advanced',
      ipc: (message: FromEngine) => handlers.onMessage(message),
      onExit: async (_, exitCode, signalCode) => {
        // Waits for the last lines, which explain a crash, but not forever: a process that the child started may hold
        // the pipe.
        const deadline = setTimeout(logsDrained, drainLimitMs)
        await drained
        clearTimeout(deadline)
        // Bun has no names for some signals.
        const signal: unknown = typeof signalCode === 'number' ? `number ${signalCode}` : signalCode
        handlers.onExit(signal === null ? `exit code ${exitCode}` : `signal ${signal}`)
      },
    })
    // A broken pipe counts as ended.
    void readLines(child.stderr, handlers.onLogLine).then(logsDrained, logsDrained)
    return {
      pid: child.pid,
      send: (message) => {
        if (child.exitCode !== null || child.signalCode !== null) return
        try {
          child.send(message)
        } catch {
          // The child died between the check and the call; onExit follows.
        }
      },
      kill: (signal) => child.kill(signal),
    }
  }
}

/** Colour codes, which libraries write even though this is no terminal. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with the escape character
const colours = /\x1b\[[0-9;]*m/g

async function readLines(stream: ReadableStream<Uint8Array>, onLine: (line: string) => void): Promise<void> {
  const decoder = new TextDecoder()
  const pass = (line: string) => {
    const plain = line.replaceAll(colours, '')
    if (plain !== '') onLine(plain)
  }
  let rest = ''
  for await (const bytes of stream) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) pass(line)
  }
  pass(rest)
}
