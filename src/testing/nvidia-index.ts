/**
 * A package index on loopback with small wheels of generated libraries. A fake hub serves the wheels, with its faults.
 */
import { randomBytes } from 'node:crypto'
import { elfLibrary } from './elf-library.ts'
import { type FakeHub, sha256Of } from './fake-hub/fake-hub.ts'
import { zipFile } from './zip-file.ts'

/** Paths of the libraries in each wheel, as in the real ones. */
const contents: Readonly<Record<string, readonly string[]>> = {
  'nvidia-cuda-runtime': ['nvidia/cu13/lib/libcudart.so.13'],
  'nvidia-cublas': ['nvidia/cu13/lib/libcublas.so.13', 'nvidia/cu13/lib/libcublasLt.so.13'],
  'nvidia-curand': ['nvidia/cu13/lib/libcurand.so.10'],
}

export interface NvidiaIndex extends AsyncDisposable {
  readonly address: string
  /** Wheels in pip's form, for `--requirements`. */
  readonly requirements: string
  readonly wheels: ReadonlyMap<string, Buffer>
  /** Wrong checksums that the pages give instead of the true ones. */
  readonly saidSums: Map<string, string>
  isJson: boolean
}

/** Returns a wheel in NVIDIA's form: libraries, headers, a licence. */
export function nvidiaWheel(name: string, libraries: readonly string[], paddingBytes = 60_000): Buffer {
  const info = `${name.replaceAll('-', '_')}-1.0.dist-info`
  return zipFile([
    { name: 'nvidia/cu13/include/header.h', content: Buffer.from('int x;') },
    ...libraries.map((path) => {
      const soname = path.slice(path.lastIndexOf('/') + 1)
      return { name: path, content: elfLibrary({ soname, padding: randomBytes(paddingBytes) }) }
    }),
    { name: `${info}/licenses/License.txt`, content: Buffer.from(`Licence of ${name}`) },
    { name: '../../outside.txt', content: Buffer.from('outside') },
  ])
}

export function startNvidiaIndex(hub: FakeHub): NvidiaIndex {
  const wheels = new Map(Object.entries(contents).map(([name, libraries]) => [name, nvidiaWheel(name, libraries)]))
  for (const [name, wheel] of wheels) hub.put('nvidia/wheels', fileName(name), wheel)
  const saidSums = new Map<string, string>()
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request) {
      const [, name = ''] = /^\/simple\/([^/]+)\/$/.exec(new URL(request.url).pathname) ?? []
      const wheel = wheels.get(name)
      if (wheel === undefined) return new Response('none', { status: 404 })
      const url = `${hub.origin}/nvidia/wheels/resolve/main/${fileName(name)}`
      const sum = saidSums.get(name) ?? sha256Of(wheel)
      if (index.isJson) {
        const files = [{ filename: fileName(name), url, hashes: { sha256: sum } }]
        return Response.json({ meta: { 'api-version': '1.1' }, name, files })
      }
      const page = `<!DOCTYPE html><html><body>\n<a href="${url}#sha256=${sum}" data-requires-python="&gt;=3">${fileName(name)}</a><br/></body></html>`
      return new Response(page, { headers: { 'content-type': 'text/html' } })
    },
  })
  const requirements = [...wheels].map(([name, wheel]) => `${name}==1.0 \\\n    --hash=sha256:${sha256Of(wheel)}\n`)
  const index: NvidiaIndex = {
    address: `http://127.0.0.1:${server.port}/simple`,
    requirements: `# pinned by us\n${requirements.join('')}`,
    wheels,
    saidSums,
    isJson: true,
    async [Symbol.asyncDispose]() {
      await server.stop(true)
    },
  }
  return index
}

function fileName(name: string): string {
  return `${name.replaceAll('-', '_')}-1.0-py3-none-manylinux_2_27_x86_64.whl`
}
