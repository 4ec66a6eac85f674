/** ONNX graphs without computation: only the parts that an import reads. */

export interface OnnxPlan {
  readonly inputs?: readonly string[]
  /** Lengths by output; undefined for unknown ones. */
  readonly outputs?: Readonly<Record<string, readonly (number | undefined)[]>>
  /** Weights by name, with the file that holds each. Undefined if the graph holds it. */
  readonly weights?: Readonly<Record<string, string | undefined>>
  /** Locations of tensors in attributes of nodes. */
  readonly constants?: readonly string[]
  readonly metadata?: Readonly<Record<string, string>>
}

export function makeOnnx(plan: OnnxPlan = {}): Buffer {
  const { inputs = ['input_ids', 'attention_mask'], outputs = {}, weights = {}, constants = [], metadata = {} } = plan
  const graph = [
    ...constants.map((location) => field(1, field(5, field(5, tensor('constant', location))))),
    ...Object.entries(weights).map(([name, location]) => field(5, tensor(name, location))),
    ...[...inputs, ...Object.keys(weights)].map((name) => field(11, field(1, name))),
    ...Object.entries(outputs).map(([name, shape]) =>
      field(12, Buffer.concat([field(1, name), field(2, field(1, tensorType(shape)))])),
    ),
  ]
  const pairs = Object.entries(metadata).map(([key, value]) => field(14, pair(key, value)))
  return Buffer.concat([number(1, 8), field(7, Buffer.concat(graph)), ...pairs])
}

function tensor(name: string, location: string | undefined): Buffer {
  const data =
    location === undefined
      ? [field(9, 'weights')]
      : [number(14, 1), field(13, pair('location', location)), field(13, pair('offset', '0'))]
  return Buffer.concat([field(8, name), ...data])
}

function tensorType(shape: readonly (number | undefined)[]): Buffer {
  const dimensions = shape.map((length) => field(1, length === undefined ? field(2, 'batch') : number(1, length)))
  return Buffer.concat([number(1, 1), field(2, Buffer.concat(dimensions))])
}

function pair(key: string, value: string): Buffer {
  return Buffer.concat([field(1, key), field(2, value)])
}

function field(id: number, content: string | Buffer): Buffer {
  const bytes = Buffer.from(content)
  return Buffer.concat([varint(id * 8 + 2), varint(bytes.length), bytes])
}

function number(id: number, value: number): Buffer {
  return Buffer.concat([varint(id * 8), varint(value)])
}

function varint(value: number): Buffer {
  const bytes: number[] = []
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return Buffer.from([...bytes, rest])
    bytes.push((rest % 128) + 128)
  }
}
