/**
 * sherpa-onnx's addon, used directly: its JavaScript package looks for the libraries beside itself, where they do not lie in the
 * executable. `Binding` is what the caller uses of its functions, as that package calls them.
 *
 * The library ends the process when a model lacks metadata. Functions that block are called for short pieces only, and
 * models are made by the asynchronous ones alone: those reject where the others end the process.
 */
export function openSherpa<Binding>(path: string): Binding {
  const module = { exports: {} }
  process.dlopen(module, path)
  return module.exports as Binding // of the exact version in package.json
}
