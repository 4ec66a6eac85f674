import { expect, test } from 'bun:test'
import { type NumberType, toBase64Json, toFormJson, toNumberType } from './number-types.ts'

const vector = Float32Array.of(0.1, -0.2, 0.3, -0.4, 0, 0.5, -0.1, 0.2)

/** 127 * sqrt(8) / 8 is 44.9. */
test.each<[NumberType, number[]]>([
  ['int8', [4, -9, 13, -18, 0, 22, -4, 9]],
  ['uint8', [132, 119, 141, 110, 128, 150, 124, 137]],
  ['ubinary', [0b10100101]],
  ['binary', [0b10100101 - 128]],
])('%s', (type, numbers) => {
  expect([...toNumberType(vector, type)]).toEqual(numbers)
  expect(JSON.parse(toFormJson(vector, type))).toEqual(numbers)
})

test('numbers that are too large for a byte are its largest', () => {
  const large = new Float32Array(1024)
  large.set([1, -1])
  expect([...toNumberType(large, 'int8').subarray(0, 3)]).toEqual([127, -128, 0])
  expect([...toNumberType(large, 'uint8').subarray(0, 3)]).toEqual([255, 0, 128])
})

test('bits fill their last byte up with zeros, and no number is not larger than 0', () => {
  const values = Float32Array.of(1, 0, 0, 0, 0, 0, 0, 0, -0, 1)
  expect([...toNumberType(values, 'ubinary')]).toEqual([128, 64])
  expect([...toNumberType(values, 'binary')]).toEqual([0, -64])
  expect([...toNumberType(new Float32Array(8).fill(1), 'binary')]).toEqual([127])
  expect([...toNumberType(new Float32Array(8), 'binary')]).toEqual([-128])
})

test('no number is -0 in any form', () => {
  const values = Float32Array.of(-0, -0.001)
  expect(toFormJson(values, 'int8')).toBe('[0,0]')
  expect(toFormJson(values.subarray(0, 1), 'base64')).toBe('"AAAAAA=="')
})

test('base64 is of the bytes of the type', () => {
  expect(toBase64Json(toNumberType(vector, 'int8'))).toBe(
    `"${Buffer.from(Int8Array.of(4, -9, 13, -18, 0, 22, -4, 9).buffer).toString('base64')}"`,
  )
  expect(toFormJson(Float32Array.of(1), 'base64')).toBe('"AACAPw=="')
})
