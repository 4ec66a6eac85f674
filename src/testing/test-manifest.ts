import type { ModelManifest } from '../core/model.ts'

/** The manifest of a chat model on the fake engine, of which a test says only what matters to it. */
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
