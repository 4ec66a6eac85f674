import type { ModelManifest } from '../core/model.ts'

/** Returns the manifest of a chat model on the fake engine, with the parts that matter to a test. */
export function testManifest(parts: Partial<ModelManifest> = {}): ModelManifest {
  return {
    id: 'test/fake',
    type: 'chat',
    engine: 'fake',
    aliases: [],
    files: [],
    capabilities: {},
    defaults: {},
    ...parts,
  }
}
