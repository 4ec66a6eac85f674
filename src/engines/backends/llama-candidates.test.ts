import { afterAll, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { llamaCandidates } from './llama-candidates.ts'

const folder = mkdtempSync(join(tmpdir(), 'inferd-candidates-'))
afterAll(() => rmSync(folder, { recursive: true }))

test.each(['x64', 'arm64'])('on %s the libraries of that processor are candidates, the best first', (arch) => {
  const root = join(folder, arch)
  const packages = join(root, 'node_modules/@node-llama-cpp')
  const put = (path: string) => {
    mkdirSync(dirname(join(packages, path)), { recursive: true })
    writeFileSync(join(packages, path), '')
  }
  const other = arch === 'x64' ? 'arm64' : 'x64'
  put(`linux-${other}-cuda/bins/linux-${other}-cuda/libggml-cuda.so`)
  const found = () => llamaCandidates({ nodeLlamaCpp: join(root, 'node_modules/node-llama-cpp/package.json') }, arch)
  expect(found().map(({ id }) => id)).toEqual(['cpu'])
  put(`linux-${arch}-vulkan/bins/linux-${arch}-vulkan/libggml-vulkan.so`)
  put(`linux-${arch}-cuda/bins/linux-${arch}-cuda/libggml-cuda.so`)
  expect(found().map(({ id }) => id)).toEqual(['cuda', 'vulkan', 'cpu'])
  expect(found()[0]?.library).toBe(join(packages, `linux-${arch}-cuda/bins/linux-${arch}-cuda/libggml-cuda.so`))
})
