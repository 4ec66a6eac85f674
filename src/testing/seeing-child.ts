/**
 * A child process that decodes and encodes pictures like an engine's, so that a picture that crashes it harms no other.
 */
import type { Subprocess } from 'bun'
import type { NativePicture } from '../engines/llama/native-projector.ts'
import { loadOptions, onCpu } from '../engines/llama/placement.ts'
import { encodePicture } from './encode-picture.ts'
import { openTestAddon } from './native-options.ts'

/** `crashed`: the child ended. `late`: it did not answer in time, and was killed. */
export type Seen = 'encoded' | 'undecodable' | 'crashed' | 'late'

export interface SeeingFiles {
  readonly model: string
  readonly projector: string
}

interface FileSize {
  readonly width: number
  readonly height: number
  /** Orientation in EXIF's numbers. */
  readonly orientation: number
}

const limitMs = 20_000

/** Runs the child: starts it when needed, and again after a crash. */
export class SeeingChild implements AsyncDisposable {
  readonly #files: SeeingFiles
  #child: Subprocess | undefined
  #settle: (seen: Seen) => void = () => undefined

  constructor(files: SeeingFiles) {
    this.#files = files
  }

  /** Decodes and encodes a picture, one at a time. The size is the one in the file, before rotation. */
  async see(path: string, { width, height, orientation }: FileSize): Promise<Seen> {
    const { promise, resolve } = Promise.withResolvers<Seen>()
    this.#settle = resolve
    this.#child ??= this.#start()
    const size = orientation > 4 ? { width: height, height: width } : { width, height }
    this.#child.send({ path, orientation, size } satisfies NativePicture)
    const timer = setTimeout(() => {
      this.#end()
      resolve('late')
    }, limitMs)
    try {
      return await promise
    } finally {
      clearTimeout(timer)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#end()?.exited
  }

  #start(): Subprocess {
    return Bun.spawn([process.execPath, import.meta.path, this.#files.model, this.#files.projector], {
      stdio: ['ignore', 'ignore', 'inherit'],
      ipc: (seen: Seen) => this.#settle(seen),
      onExit: (child) => {
        if (child !== this.#child) return
        this.#child = undefined
        this.#settle('crashed')
      },
    })
  }

  #end(): Subprocess | undefined {
    const child = this.#child
    this.#child = undefined
    child?.kill('SIGKILL')
    return child
  }
}

async function serve(modelPath: string, path: string): Promise<void> {
  const addon = await openTestAddon()
  const model = await addon.loadModel(loadOptions(modelPath, onCpu))
  const options = { device: undefined, threads: 1, imageTokens: 0, flashAttention: 'auto' } as const
  const projector = await addon.loadProjector({ path, model, ...options })
  process.on('message', async (picture: NativePicture) => {
    const encoded = await encodePicture(projector, picture)
    process.send?.((typeof encoded === 'string' ? 'undecodable' : 'encoded') satisfies Seen)
  })
}

if (import.meta.main) await serve(process.argv[2] ?? '', process.argv[3] ?? '')
