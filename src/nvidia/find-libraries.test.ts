import { afterEach, beforeEach, expect, test } from 'bun:test'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { elfLibrary } from '../testing/elf-library.ts'
import { missingLibraries } from './advice.ts'
import { findNvidiaLibraries } from './find-libraries.ts'
import { linkBesideBackend, linkLibraries } from './link-libraries.ts'
import { readSoname } from './shared-library.ts'

let root = ''
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'inferd-nvidia-'))
})
afterEach(() => rmSync(root, { recursive: true }))

const file = (path: string, content: string | Uint8Array) => {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), content)
}
const library = (folder: string, soname: string) => file(`${folder}/${soname}`, elfLibrary({ soname }))
const find = (named?: string, environment: Record<string, string> = {}) =>
  findNvidiaLibraries({ dataDir: join(root, 'data'), root, home: join(root, 'home/me'), named, environment })
const foundAt = (...options: Parameters<typeof find>) =>
  find(...options)
    .found.filter(({ soname }) => soname === 'libcudart.so.13')
    .map(({ place, path }) => [place, path.slice(root.length + 1)])

test.each<readonly [string, string, Record<string, string>]>([
  ['data folder', 'data/nvidia/lib', {}],
  ['loader path', 'opt/mine', { LD_LIBRARY_PATH: '/nowhere:ROOT/opt/mine' }],
  ['toolkit', 'usr/local/cuda-13.1/lib64', {}],
  ['toolkit', 'usr/local/cuda/targets/x86_64-linux/lib', {}],
  ['system', 'usr/lib/x86_64-linux-gnu', {}],
  ['system', 'usr/lib64', {}],
  ['Python', 'home/me/.venv/lib/python3.13/site-packages/nvidia/cu13/lib', {}],
  ['Python', 'home/me/.local/lib/python3.12/site-packages/nvidia/cuda_runtime/lib', {}],
  ['Python', 'usr/lib/python3/dist-packages/nvidia/cu13/lib', {}],
  ['Python', 'srv/env/lib/python3.11/site-packages/nvidia/cu13/lib', { VIRTUAL_ENV: 'ROOT/srv/env' }],
  ['Python', 'srv/conda/lib', { CONDA_PREFIX: 'ROOT/srv/conda' }],
])('a library is found in the %s, %s', (place, folder, environment) => {
  library(folder, 'libcudart.so.13')
  const named = Object.entries(environment).map(([name, value]) => [name, value.replace('ROOT', root)])
  expect(foundAt(undefined, Object.fromEntries(named))).toEqual([[place, `${folder}/libcudart.so.13`]])
})

test('a library is found beside the packages of the first python3 on the path', () => {
  for (const [name, version] of [
    ['first', '3.12'],
    ['second', '3.13'],
  ]) {
    file(`opt/${name}/bin/python3`, '')
    library(`opt/${name}/lib/python${version}/site-packages/nvidia/cu13/lib`, 'libcudart.so.13')
  }
  const path = [join(root, 'nowhere'), 'relative', join(root, 'opt/first/bin'), join(root, 'opt/second/bin')].join(':')
  expect(foundAt(undefined, { PATH: path })).toEqual([
    ['Python', 'opt/first/lib/python3.12/site-packages/nvidia/cu13/lib/libcudart.so.13'],
  ])
})

test('folders of the loader are found through its settings and what they include', () => {
  file('etc/ld.so.conf', '# comment\ninclude ld.so.conf.d/*.conf\n')
  file('etc/ld.so.conf.d/cuda.conf', '/opt/somewhere/lib # here\ninclude /etc/ld.so.conf\n')
  library('opt/somewhere/lib', 'libcudart.so.13')
  expect(foundAt()).toEqual([['system', 'opt/somewhere/lib/libcudart.so.13']])
})

test('the folder that is named wins over the data folder, and that over all others', () => {
  for (const folder of ['usr/lib64', 'data/nvidia/lib', 'mine/lib64']) library(folder, 'libcudart.so.13')
  expect(foundAt(join(root, 'mine'))).toEqual([['setting', 'mine/lib64/libcudart.so.13']])
  expect(foundAt()).toEqual([['data folder', 'data/nvidia/lib/libcudart.so.13']])
})

test.each<readonly [string, string | Uint8Array]>([
  ['of another name inside', elfLibrary({ soname: 'libcudart.so.12' })],
  ['of 32 bits', elfLibrary({ soname: 'libcudart.so.13', elfClass: 1 })],
  ['of another architecture', elfLibrary({ soname: 'libcudart.so.13', machine: 183 })],
  ['cut short', elfLibrary({ soname: 'libcudart.so.13', padding: new Uint8Array(5000) }).subarray(0, 400)],
  ['cut within its header', elfLibrary({ soname: 'libcudart.so.13' }).subarray(0, 30)],
  ['that is a script of a linker', 'INPUT(/usr/lib/libcudart.so.13)'],
  ['that is empty', ''],
])('a file %s is passed by', (_, content) => {
  file('usr/local/cuda/lib64/libcudart.so.13', content)
  expect(foundAt()).toEqual([])
  library('usr/lib64', 'libcudart.so.13')
  expect(foundAt()).toEqual([['system', 'usr/lib64/libcudart.so.13']])
})

test('folders, links that lead nowhere and what cannot be read are passed by', () => {
  mkdirSync(join(root, 'usr/lib64/libcudart.so.13'), { recursive: true })
  expect(foundAt()).toEqual([])
  expect(readSoname(join(root, 'none'))).toBeUndefined()
})

test('a name of a library of this system is read', () => {
  const libc = ['/lib/x86_64-linux-gnu/libc.so.6', '/lib64/libc.so.6', '/lib/aarch64-linux-gnu/libc.so.6'].find(
    existsSync,
  )
  expect(libc === undefined ? 'libc.so.6' : readSoname(libc)).toBe('libc.so.6')
})

test('what is missing is said by user, and cuDNN is missing to none', () => {
  library('usr/lib64', 'libcudart.so.13')
  library('usr/lib64', 'libcublas.so.12')
  expect(find().missing).toEqual({
    'llama-cuda-13': ['libcublas.so.13', 'libcublasLt.so.13'],
    'llama-cuda-12': ['libcudart.so.12', 'libcublasLt.so.12'],
    'onnx-cuda-13': ['libcublas.so.13', 'libcublasLt.so.13', 'libcurand.so.10'],
  })
})

test('one line says what a driver lacks, and how to get it', () => {
  expect(missingLibraries('580.95.05', find())).toEqual({
    text: "NVIDIA's driver 580.95.05 is here, but not libcudart.so.13, libcublas.so.13 and libcublasLt.so.13: models cannot use CUDA",
    advice: "'inferd gpu install' fetches NVIDIA's libraries (about 0.5 GB)",
  })
  expect(missingLibraries(undefined, find())).toBeUndefined()
  for (const soname of ['libcudart.so.13', 'libcublas.so.13', 'libcublasLt.so.13']) library('usr/lib64', soname)
  expect(missingLibraries('580.95.05', find())).toBeUndefined()
})

test('links follow what is found, and go with it', () => {
  const data = join(root, 'data')
  const loader = join(data, 'nvidia/loader')
  const backend = join(root, 'bins')
  file('bins/libggml-cuda.so', 'x')
  for (const soname of [
    'libcudart.so.13',
    'libcublas.so.13',
    'libcurand.so.10',
    'libnvrtc.so.13',
    'libnvrtc-builtins.so.13.0',
  ])
    library('usr/lib64', soname)
  linkLibraries(data, find().found)
  expect(readdirSync(loader).sort()).toEqual([
    'libcublas.so.13',
    'libcudart.so.13',
    'libcurand.so.10',
    'libnvrtc-builtins.so.13.0',
    'libnvrtc.so.13',
  ])
  linkBesideBackend(data, backend)
  linkBesideBackend(data, backend)
  expect(readdirSync(backend).sort()).toEqual(['libcublas.so.13', 'libcudart.so.13', 'libggml-cuda.so'])
  expect(realpathSync(join(backend, 'libcudart.so.13'))).toBe(realpathSync(join(root, 'usr/lib64/libcudart.so.13')))
  const inode = lstatSync(join(loader, 'libcudart.so.13')).ino
  library('data/nvidia/lib', 'libcublas.so.13')
  linkLibraries(data, find().found)
  expect(lstatSync(join(loader, 'libcudart.so.13')).ino).toBe(inode)
  expect(readlinkSync(join(loader, 'libcublas.so.13'))).toBe(join(data, 'nvidia/lib/libcublas.so.13'))
  rmSync(join(root, 'usr/lib64/libcudart.so.13'))
  linkLibraries(data, find().found)
  linkBesideBackend(data, backend)
  expect(readdirSync(backend).sort()).toEqual(['libcublas.so.13', 'libggml-cuda.so'])
})

test('a library that lies beside the backend by itself is left alone, and no folder is made for a backend that is not there', () => {
  const data = join(root, 'data')
  library('usr/lib64', 'libcudart.so.13')
  library('bins', 'libcudart.so.13')
  linkLibraries(data, find().found)
  linkBesideBackend(data, join(root, 'bins'))
  expect(lstatSync(join(root, 'bins/libcudart.so.13')).isSymbolicLink()).toBe(false)
  linkBesideBackend(data, join(root, 'none'))
  expect(existsSync(join(root, 'none'))).toBe(false)
})
