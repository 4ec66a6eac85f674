/** PDFium as WebAssembly, from the package `@embedpdf/pdfium`: no scripts, no XFA, no network, no fonts of this machine. */
import { readFileSync } from 'node:fs'
import { init, type WrappedPdfiumModule } from '@embedpdf/pdfium'
import program from '../../../node_modules/@embedpdf/pdfium/dist/pdfium.wasm' with { type: 'file' }

/** Memory of the library, the document included. */
export const memoryLimitBytes = 512 * 1024 * 1024

const pageBytes = 64 * 1024

export interface Pdfium {
  readonly call: Omit<WrappedPdfiumModule, 'pdfium'>
  /** Returns this memory of the library, which moves when it grows: read it at once. */
  readonly memory: (at: number, bytes: number) => Buffer<ArrayBuffer>
  /** Returns the address of new memory. Throws RangeError at the limit. */
  readonly allocate: (bytes: number) => number
  readonly free: (at: number) => void
  /** True once the library has asked for more memory than the limit. */
  readonly isFull: () => boolean
}

interface Parts {
  readonly HEAPU8: Uint8Array<ArrayBuffer>
  readonly wasmExports: { malloc(bytes: number): number; free(at: number): void }
}

/** Opens the library. Limits the memory of all WebAssembly of this process. */
export async function openPdfium(): Promise<Pdfium> {
  const isFull = limitMemory()
  const silent = () => undefined
  // The package declares the options of the whole module as required.
  const options = { wasmBinary: readFileSync(program), print: silent, printErr: silent } as object
  const { pdfium, ...call } = await init(options)
  const parts = pdfium as unknown as Parts // the package leaves the memory out of its types
  call.PDFiumExt_Init()
  return {
    call,
    memory: (at, bytes) => Buffer.from(parts.HEAPU8.buffer, at, bytes),
    allocate: (bytes) => {
      const at = parts.wasmExports.malloc(bytes)
      if (at === 0) throw new RangeError('PDFium has no memory left')
      return at
    },
    free: (at) => parts.wasmExports.free(at),
    isFull,
  }
}

/** Refuses to grow memory beyond the limit. Returns whether that has happened. */
function limitMemory(): () => boolean {
  let isFull = false
  const { prototype } = WebAssembly.Memory
  const { grow } = prototype
  prototype.grow = function limited(this: WebAssembly.Memory, pages: number) {
    if (this.buffer.byteLength + pages * pageBytes > memoryLimitBytes) {
      isFull = true
      throw new RangeError('the memory is limited')
    }
    return grow.call(this, pages)
  }
  return () => isFull
}
