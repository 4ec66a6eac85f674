import { basename, posix } from 'node:path'
import {
  type Detect,
  type DetectOptions,
  ImportError,
  readingFile,
  type Source,
  type SourceFile,
} from './found-model.ts'
import { type OnnxGraph, type OnnxTensor, readOnnxGraph } from './onnx-graph.ts'
import { encoderOf, readTextModelNotes, type TextModelNotes } from './text-model-notes.ts'

/**
 * Detects an embedder or reranker: an ONNX graph with its tokenizer, in the layout of exporters for Sentence
 * Transformers.
 */
export const detectTextModel: Detect = (source, options) => {
  const tokenizer = nearest(source, 'tokenizer.json', source.named)
  const graphFile = source.named?.name.endsWith('.onnx') === true ? source.named : undefined
  if (tokenizer === undefined || (graphFile === undefined && !source.files.some(isOnnx))) return undefined
  const file = graphFile ?? onlyGraph(source)
  const graph = readingFile(file, () => readOnnxGraph(file.path))
  if (!graph.inputs.some(({ name }) => name === 'input_ids')) return undefined
  const notes = readTextModelNotes((name) => nearest(source, name, file))
  const { type, output } = whatItIs(file, graph, options)
  const isPooled = output.shape.length === 2
  const dimensions = output.shape.at(-1) ?? notes.hiddenSize
  if (notes.contextLength === undefined) {
    throw new ImportError(
      `${source.given} does not say how long its texts may be (config.json); write a manifest, --manifest`,
    )
  }
  const isEmbedding = type === 'embedding'
  return {
    description: `ONNX, ${type}, output "${output.name}"`,
    manifest: {
      type,
      engine: 'onnx',
      license: notes.license,
      contextLength: notes.contextLength,
      dimensions: isEmbedding ? dimensions : undefined,
      encoder: encoderOf(notes, { isEmbedding, isPooled, output: graph.outputs.length > 1 ? output.name : undefined }),
    },
    files: [
      { role: 'model', name: basename(file.name), path: file.path },
      ...graph.sideFiles.map((name) => sideFile(source, file, name)),
      { role: 'tokenizer', name: 'tokenizer.json', path: tokenizer.path },
    ],
    notes: notesFor(notes, { isEmbedding, isPooled }),
    facts: { output: output.name, dimensions: dimensions ?? null, context: notes.contextLength },
  }
}

/** Returns the only graph. Several in a folder are one model in several precisions, so the operator must choose. */
function onlyGraph({ given, files }: Source): SourceFile {
  const graphs = files.filter(isOnnx)
  const [graph, ...others] = graphs
  if (graph !== undefined && others.length === 0) return graph
  const names = graphs.slice(0, 8).map(({ name }) => name)
  throw new ImportError(`${given} holds ${graphs.length} graphs (${names.join(', ')}); name the file of one`)
}

function whatItIs(
  file: SourceFile,
  { outputs }: OnnxGraph,
  { type: wanted }: DetectOptions,
): { type: 'embedding' | 'rerank'; output: OnnxTensor } {
  if (wanted !== undefined && wanted !== 'embedding' && wanted !== 'rerank') {
    throw new ImportError(`${file.path} is a model of texts: --type can be embedding or rerank, not ${wanted}`)
  }
  const score = outputs.find(({ shape }) => shape.length === 2 && shape[1] === 1)
  const vectors =
    outputs.find(({ name, shape }) => shape.length === 2 && /sentence|pool|embed/.test(name)) ??
    outputs.find(({ name, shape }) => shape.length === 3 && !/logits/.test(name)) ??
    outputs.find(({ shape }) => shape.length === 2 && shape[1] !== 1)
  const type =
    wanted ??
    (score !== undefined ? 'rerank' : vectors === undefined || /logits/.test(vectors.name) ? undefined : 'embedding')
  const output = type === 'rerank' ? (score ?? outputs[0]) : (vectors ?? outputs[0])
  if (type !== undefined && output !== undefined) return { type, output }
  const shown = outputs.map(({ name, shape }) => `${name} [${shape.map((length) => length ?? '?').join(', ')}]`)
  throw new ImportError(
    `${file.path} has the outputs ${shown.join(', ')}, which are neither vectors nor scores; say what it is with --type`,
  )
}

function sideFile({ files }: Source, graph: SourceFile, name: string) {
  if (name.includes('/')) throw new ImportError(`${graph.path} names the side file ${name}, which must lie beside it`)
  const wanted = posix.join(posix.dirname(graph.name), name)
  const file = files.find((each) => each.name === wanted)
  if (file === undefined) throw new ImportError(`${graph.path} needs the file ${name} beside it, which is missing`)
  return { role: 'model', name, path: readingFile(file, () => file.path) }
}

/** Returns a file by name from the folder of `from`, else the one above it, else the top. */
function nearest({ files }: Source, name: string, from: SourceFile | undefined): SourceFile | undefined {
  const folder = posix.dirname(from?.name ?? name)
  const places = [folder, posix.dirname(folder), '.'].map((place) => posix.join(place, name))
  const found = places.map((place) => files.find((file) => file.name === place)).find((file) => file !== undefined)
  return found && readingFile(found, () => found)
}

function isOnnx({ name }: SourceFile): boolean {
  return name.endsWith('.onnx')
}

function notesFor(
  { pooling, hasDenseLayer, normalize }: TextModelNotes,
  { isEmbedding, isPooled }: { readonly isEmbedding: boolean; readonly isPooled: boolean },
): string[] {
  if (!isEmbedding) return []
  return [
    ...(pooling === undefined && !isPooled
      ? [
          'no 1_Pooling/config.json says how vectors of tokens become one: "mean" is assumed; see "pooling" in the manifest',
        ]
      : []),
    ...(normalize === undefined
      ? ['no modules.json says whether vectors have length 1: "normalize = true" is assumed']
      : []),
    ...(hasDenseLayer
      ? ['modules.json names a dense layer after the pooling, which is not computed: vectors will differ']
      : []),
  ]
}
