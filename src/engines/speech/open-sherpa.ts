/**
 * Opens sherpa-onnx's addon directly, since its JavaScript package looks for the libraries beside itself, where the
 * executable does not have them. `Binding` is the used part of its functions, as that package calls them. The library
 * ends the process if a model lacks metadata. Blocking functions are called only for short pieces, and models are
 * created only by the asynchronous ones, which reject where the others end the process.
 */
export function openSherpa<Binding>(path: string): Binding {
  const module = { exports: {} }
  process.dlopen(module, path)
  return module.exports as Binding // of the exact version in package.json
}
