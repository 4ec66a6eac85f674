/** Facts of an ONNX file's graph: inputs, outputs, and the files beside it that hold its weights. */
import { FileError, readRegularFile } from '../../catalog/stat-file.ts'
import { fileNameProblem } from '../../core/file-name.ts'
import { type Field, ProtobufFile, type Span } from './protobuf.ts'

export interface OnnxTensor {
  readonly name: string
  /** Length per dimension. Undefined if not known before the graph runs. */
  readonly shape: readonly (number | undefined)[]
}

export interface OnnxGraph {
  /** Inputs that are not weights. */
  readonly inputs: readonly OnnxTensor[]
  readonly outputs: readonly OnnxTensor[]
  /** Names of files below the graph's own folder. */
  readonly sideFiles: readonly string[]
  /** Exporter's notes, such as `model_type`. */
  readonly metadata: ReadonlyMap<string, string>
}

/** Field numbers in onnx.proto. */
const model = { irVersion: 1, graph: 7, metadata: 14 } as const
const graph = { node: 1, initializer: 5, input: 11, output: 12, sparseInitializer: 15 } as const
const attribute = { tensor: 5, graph: 6, tensors: 10, graphs: 11 } as const
const tensor = { name: 8, externalData: 13 } as const
const nodeAttribute = 5
const sparse = { values: 1, indices: 2 } as const
const maximumDepth = 16
/** Most inputs, outputs and side files, which are held in memory. Graphs with a cache have some hundreds. */
const maximumNames = 10_000

/**
 * Reads a graph without its weights. Throws FileError if the file is not a graph, or names files outside its folder.
 */
export function readOnnxGraph(path: string): OnnxGraph {
  return readRegularFile(path, (descriptor, { size }) => new GraphReader(new ProtobufFile(descriptor, size)).read())
}

class GraphReader {
  readonly #file: ProtobufFile
  readonly #sideFiles = new Set<string>()

  constructor(file: ProtobufFile) {
    this.#file = file
  }

  read(): OnnxGraph {
    const metadata = new Map<string, string>()
    let main: Span | undefined
    let version = 0
    for (const { number, value } of this.#file.fields()) {
      if (number === model.irVersion && typeof value === 'number') version = value
      else if (number === model.graph) main = spanOf(value)
      else if (number === model.metadata) metadata.set(...this.#pair(value))
    }
    if (main === undefined || version === 0) throw new FileError('is no ONNX graph')
    const { inputs, outputs } = this.#graph(main, 0)
    return { inputs, outputs, metadata, sideFiles: [...this.#sideFiles] }
  }

  #graph(span: Span, depth: number): Pick<OnnxGraph, 'inputs' | 'outputs'> {
    if (depth > maximumDepth) throw new FileError('is damaged: its graphs are nested without end')
    const inputs: OnnxTensor[] = []
    const outputs: OnnxTensor[] = []
    const weights = new Set<string>()
    for (const { number, value } of this.#file.fields(span)) {
      if (number === graph.input) inputs.push(this.#valueInfo(value))
      else if (number === graph.output) outputs.push(this.#valueInfo(value))
      else if (number === graph.initializer) weights.add(this.#tensor(value))
      else if (number === graph.sparseInitializer) this.#sparse(value)
      else if (number === graph.node) this.#node(value, depth)
      if (inputs.length + outputs.length + this.#sideFiles.size > maximumNames)
        throw new FileError('is damaged: it has too many parts')
    }
    return { inputs: inputs.filter(({ name }) => !weights.has(name)), outputs }
  }

  #node(value: Field['value'], depth: number): void {
    for (const part of this.#fieldsOf(value, nodeAttribute)) {
      for (const { number, value: held } of this.#file.fields(spanOf(part))) {
        if (number === attribute.tensor || number === attribute.tensors) this.#tensor(held)
        if (number === attribute.graph || number === attribute.graphs) this.#graph(spanOf(held), depth + 1)
      }
    }
  }

  #sparse(value: Field['value']): void {
    for (const { number, value: held } of this.#file.fields(spanOf(value))) {
      if (number === sparse.values || number === sparse.indices) this.#tensor(held)
    }
  }

  /** Notes a tensor's side file, if it has one, and returns the tensor's name. */
  #tensor(value: Field['value']): string {
    let name = ''
    for (const { number, value: held } of this.#file.fields(spanOf(value))) {
      if (number === tensor.name) name = this.#file.text(held)
      if (number !== tensor.externalData) continue
      const [key, location] = this.#pair(held)
      if (key === 'location') this.#sideFiles.add(checkedLocation(location))
    }
    return name
  }

  #pair(value: Field['value']): [string, string] {
    const [key] = this.#fieldsOf(value, 1)
    const [text] = this.#fieldsOf(value, 2)
    const shown = (part: Field['value'] | undefined) => (part === undefined ? '' : this.#file.text(part))
    return [shown(key), isShort(text) ? shown(text) : '']
  }

  #valueInfo(value: Field['value']): OnnxTensor {
    const [name] = this.#fieldsOf(value, 1)
    const [type] = this.#fieldsOf(value, 2)
    const [tensorType] = type === undefined ? [] : this.#fieldsOf(type, 1)
    const [shape] = tensorType === undefined ? [] : this.#fieldsOf(tensorType, 2)
    const lengths = shape === undefined ? [] : [...this.#fieldsOf(shape, 1)]
    return {
      name: name === undefined ? '' : this.#file.text(name),
      shape: lengths.map((dimension) => [...this.#fieldsOf(dimension, 1)].find((length) => typeof length === 'number')),
    }
  }

  *#fieldsOf(value: Field['value'], wanted: number): Generator<Field['value']> {
    for (const { number, value: held } of this.#file.fields(spanOf(value))) if (number === wanted) yield held
  }
}

function spanOf(value: Field['value']): Span {
  if (typeof value === 'number') throw new FileError('is no ONNX graph, or is damaged')
  return value
}

/** Returns whether a note is short: exporters also note whole vocabularies. */
function isShort(value: Field['value'] | undefined): boolean {
  return typeof value === 'object' && value.end - value.start <= 1000
}

function checkedLocation(location: string): string {
  const problem = fileNameProblem(location)
  if (problem === undefined) return location
  throw new FileError(`names the side file ${JSON.stringify(location.slice(0, 100))}, which ${problem}`)
}
