import { expect, test } from 'bun:test'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { makeStandIns } from './stand-in-files.ts'

test('files of one name in two folders each have their stand-in, until it is not needed', async () => {
  const file = { address: 'https://host/x', source: 'https://host/x', sha256: undefined }
  const files = [
    { ...file, role: 'model', name: 'a/model.onnx', bytes: 10 },
    { ...file, role: 'encoder', name: 'b/model.onnx', bytes: 20 },
    { ...file, role: 'voices', name: 'voices', bytes: 5, unpack: true },
    { ...file, role: 'config', name: 'config.json', bytes: undefined },
  ]
  const paths: string[] = []
  {
    await using standIns = await makeStandIns(files, new Map([['a/model.onnx', new Uint8Array([1, 2])]]))
    const { model = '', encoder = '', ...others } = standIns.filePaths
    expect(others).toEqual({})
    expect([...readFileSync(model)]).toEqual([1, 2, 0, 0, 0, 0, 0, 0, 0, 0])
    expect(statSync(encoder).size).toBe(20)
    paths.push(model, encoder)
  }
  expect(paths.filter((path) => existsSync(path))).toEqual([])
})
