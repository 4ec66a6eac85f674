/** Tool parameters as agents and tool servers send them: messy, and full of keywords that no grammar can express. */
import type { JsonObject } from '../core/json.ts'

const draft = 'https://json-schema.org/draft/2020-12/schema'
const largest = 9007199254740991
const text = { type: 'string' }

export const agentSchemas: Readonly<Record<string, JsonObject>> = {
  runCommand: {
    $schema: draft,
    type: 'object',
    properties: {
      command: { description: 'The command to run', type: 'string' },
      timeout: { description: 'In milliseconds', type: 'number', maximum: 600000 },
      background: { type: 'boolean', default: false },
      env: { type: 'object', propertyNames: text, additionalProperties: text },
    },
    required: ['command'],
    additionalProperties: false,
  },
  runArgv: {
    type: 'object',
    properties: {
      command: { type: 'array', items: text, minItems: 1 },
      workdir: text,
      timeout_ms: { type: 'integer', minimum: 0, maximum: largest },
      justification: { type: 'string', encrypted: true },
    },
    required: ['command'],
  },
  readFile: {
    $schema: 'http://json-schema.org/draft-07/schema#',
    type: 'object',
    properties: {
      file_path: { type: 'string', minLength: 1, description: 'An absolute path' },
      offset: { type: 'integer', exclusiveMinimum: 0, maximum: largest },
      limit: { type: 'integer', minimum: -largest, maximum: largest },
      pages: { anyOf: [{ type: 'string', pattern: '^\\d+(-\\d+)?$' }, { type: 'null' }], default: null },
    },
    required: ['file_path'],
    additionalProperties: false,
  },
  editMany: {
    type: 'object',
    properties: {
      path: text,
      edits: {
        type: 'array',
        minItems: 1,
        items: {
          type: 'object',
          properties: { old: text, new: text, all: { type: 'boolean', default: false } },
          required: ['old', 'new'],
          additionalProperties: false,
        },
      },
    },
    required: ['path', 'edits'],
  },
  planTasks: {
    type: 'object',
    properties: {
      todos: {
        type: 'array',
        uniqueItems: true,
        items: {
          type: 'object',
          properties: {
            content: { type: 'string', minLength: 1, maxLength: 20000 },
            status: { type: 'string', enum: ['pending', 'in_progress', 'done'] },
            id: { type: 'string', pattern: '^[A-Za-z0-9_-]{1,64}$', maxLength: 32 },
          },
          required: ['content', 'status'],
        },
      },
    },
    required: ['todos'],
  },
  fetchPage: {
    type: 'object',
    properties: {
      url: { type: 'string', format: 'uri' },
      method: { type: 'string', enum: ['GET', 'POST'], default: 'GET' },
      headers: { type: 'object', patternProperties: { '^x-': text }, additionalProperties: false },
      start_index: { type: 'integer', minimum: 0, exclusiveMaximum: 1000000 },
      raw: { type: ['boolean', 'null'] },
    },
    required: ['url'],
  },
  queryTable: {
    type: 'object',
    properties: {
      table: { type: 'string', pattern: '^[a-z_][a-z0-9_]*$' },
      where: { $ref: '#/$defs/Filter' },
      limit: { type: 'integer', minimum: 1, maximum: 1000 },
    },
    required: ['table'],
    $defs: {
      Filter: {
        oneOf: [
          {
            type: 'object',
            properties: { and: { type: 'array', items: { $ref: '#/$defs/Filter' } } },
            required: ['and'],
          },
          { type: 'object', properties: { field: text, eq: {} }, required: ['field', 'eq'] },
        ],
      },
    },
  },
  either: {
    type: 'object',
    properties: { id: text, name: text, note: { type: 'string', maxLength: 100 } },
    anyOf: [{ required: ['id'] }, { required: ['name'] }],
    not: { required: ['id', 'name'] },
  },
  rootReference: {
    $schema: 'http://json-schema.org/draft-07/schema#',
    $ref: '#/definitions/Params',
    definitions: {
      Params: {
        type: 'object',
        properties: { tree: { $ref: '#/definitions/Tree Node' } },
        required: ['tree'],
        additionalProperties: false,
      },
      'Tree Node': {
        type: 'object',
        properties: { label: text, children: { type: 'array', items: { $ref: '#/definitions/Tree%20Node' } } },
      },
    },
  },
  pythonModel: {
    title: 'Params',
    type: 'object',
    properties: {
      when: { title: 'When', type: 'string', format: 'date-time' },
      who: { allOf: [{ $ref: '#/definitions/User' }], description: 'Whom', default: { name: 'x' } },
      price: { title: 'Price', exclusiveMinimum: 0, type: 'number' },
      key: { title: 'Key', type: 'string', format: 'uuid' },
    },
    required: ['when', 'who'],
    definitions: { User: { title: 'User', type: 'object', properties: { name: { title: 'Name', type: 'string' } } } },
  },
  optionals: {
    type: 'object',
    properties: {
      query: { anyOf: [text, { type: 'array', items: text }] },
      after: { anyOf: [{ type: 'string', format: 'date' }, { type: 'null' }] },
      kind: { anyOf: [{ const: 'all' }, { const: 'open' }, { type: 'null' }] },
      page: { anyOf: [{ type: 'integer', minimum: 1 }, { type: 'null' }], default: 1 },
    },
  },
  events: {
    type: 'object',
    properties: {
      event: {
        discriminator: { propertyName: 'kind' },
        oneOf: [
          {
            type: 'object',
            properties: { kind: { const: 'mail' }, to: { type: 'string', format: 'email' } },
            required: ['kind'],
          },
          {
            type: 'object',
            properties: { kind: { const: 'call' }, number: { type: 'string', pattern: '^\\+?[0-9 ]{6,20}$' } },
            required: ['kind'],
          },
        ],
      },
    },
    required: ['event'],
  },
  conditional: {
    type: 'object',
    properties: { unit: { enum: ['c', 'f'] }, value: { type: 'number', multipleOf: 0.5 } },
    if: { properties: { unit: { const: 'c' } } },
    else: { required: ['value'] },
    dependentRequired: { value: ['unit'] },
    minProperties: 1,
  },
  openData: {
    type: 'object',
    properties: { data: {}, tags: { type: 'object', additionalProperties: { type: ['string', 'number', 'boolean'] } } },
    additionalProperties: true,
  },
  point: {
    type: 'object',
    properties: {
      at: { type: 'array', prefixItems: [{ type: 'number' }, { type: 'number' }], items: false },
      box: { type: 'array', items: [{ type: 'number' }, { type: 'number' }], additionalItems: false },
      path: { type: 'array', items: { type: 'array', items: { type: 'number' }, minItems: 2, maxItems: 2 } },
    },
  },
  openApiNullable: {
    type: 'OBJECT',
    properties: {
      name: { type: 'STRING', nullable: true },
      size: { type: 'string', enum: ['s', 'm'], nullable: true },
      count: { type: 'integer', format: 'int64', minimum: 100 },
    },
    required: ['name'],
  },
  mixins: {
    allOf: [
      { $ref: '#/$defs/Base' },
      { type: 'object', properties: { extra: text, id: { maxLength: 8 } }, required: ['extra'] },
    ],
    $defs: {
      Base: { type: 'object', properties: { id: text, tags: { type: 'array', items: text } }, required: ['id'] },
    },
    unevaluatedProperties: false,
  },
  patterns: {
    type: 'object',
    properties: {
      branch: { type: 'string', pattern: '^(?!-)[^\\s~^:?*]+$' },
      version: { type: 'string', pattern: '^v?\\d+\\.\\d+\\.\\d+(?:-[\\w.]+)?$' },
      contains: { type: 'string', pattern: 'TODO' },
      color: { type: 'string', pattern: '^#(?:[0-9a-fA-F]{3}){1,2}$' },
      empty: { type: 'string', pattern: '^$' },
      any: { type: 'string', pattern: '^.{1,200}$' },
    },
    required: ['branch', 'version', 'contains', 'color', 'empty', 'any'],
  },
  oddNames: {
    type: 'object',
    properties: {
      'filter[name]': text,
      'größe "x"': { type: 'integer' },
      $top: { type: 'integer', minimum: 1 },
      root: text,
      value: { type: 'object' },
      char: { type: 'boolean' },
      'a.b/c': { $ref: '#/properties/root' },
    },
    required: ['root', 'größe "x"'],
  },
  emptyObject: { type: 'object', properties: {}, additionalProperties: false, $schema: draft },
  bounds: {
    type: 'object',
    properties: {
      a: { type: 'integer', minimum: 105 },
      b: { type: 'integer', maximum: -7 },
      c: { type: 'integer', minimum: 5_000_000_000_000_000 },
      d: { type: 'integer', minimum: -largest + 1, maximum: largest - 1 },
      e: { type: 'integer', minimum: 1e30 },
    },
    required: ['a', 'b', 'c', 'd', 'e'],
  },
}
