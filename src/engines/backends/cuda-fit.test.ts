import { expect, test } from 'bun:test'
import type { CudaCode } from '../../machine/cuda-code.ts'
import { compilesFor, neededDriver } from './cuda-fit.ts'

const ptx = (version: string, ...architectures: string[]) =>
  architectures.map((architecture) => ({ architecture, version }))

const shipped: CudaCode = {
  cudaMajor: 13,
  machineCode: ['86', '89', '120a', '121a'],
  ptx: ptx('9.1', '75', '80', '90'),
}
const shippedFor12: CudaCode = { cudaMajor: 12, machineCode: ['86'], ptx: ptx('8.4', '50', '61', '70', '75', '80') }
const own: CudaCode = { cudaMajor: 13, machineCode: ['90'], ptx: [] }
const ownForAll: CudaCode = { cudaMajor: 13, machineCode: ['75', '80', '90', '100f', '120a'], ptx: ptx('9.0', '90') }

test.each([
  [
    'shipped',
    shipped,
    { '7.5': true, '8.0': true, '8.6': false, '9.0': true, '10.0': true, '12.0': false, '12.1': false },
  ],
  ['shipped for CUDA 12', shippedFor12, { '5.2': true, '8.0': true, '8.6': false, '8.9': false, '9.0': true }],
  ['own', own, { '9.0': false, '8.9': false }],
  ['own for all', ownForAll, { '8.9': false, '10.0': false, '10.3': false, '11.0': true, '12.0': false, '12.1': true }],
])('kernels of the library %s are compiled where it has no machine code for the card, but PTX', (_, code, cards) => {
  for (const [card, compiles] of Object.entries(cards))
    expect({ card, compiles: compilesFor([card], code) }).toEqual({ card, compiles })
})

test('the driver that a library needs follows from what is in its file', () => {
  const needed = (code: CudaCode) => ['8.6', '9.0', '12.1'].map((card) => neededDriver([card], code))
  expect(needed(shipped)).toEqual(['580', '590.44', '580'])
  expect(needed(shippedFor12)).toEqual(['525', '550', '550'])
  expect(needed(own)).toEqual(['580', '580', '580'])
  expect(needed(ownForAll)).toEqual(['580', '580', '580'])
  expect(neededDriver(['8.6', '9.0'], shipped)).toBe('590.44')
  const versions = ['8.0', '8.3', '8.7', '8.8', '9.0', '9.2', '9.3', '9.10', '10.0']
  expect(versions.map((version) => neededDriver(['9.0'], { machineCode: [], ptx: ptx(version, '75') }))).toEqual([
    ...['525', '550', '570', '575', '580', '595.45', '610.43', undefined, undefined],
  ])
  expect(neededDriver(['9.0'], undefined)).toBeUndefined()
})
