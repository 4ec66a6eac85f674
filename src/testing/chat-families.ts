/**
 * Chat formats of several model families. Templates ship with llama.cpp; the answers are written here in each family's
 * syntax.
 */

export interface ChatFamily {
  readonly name: string
  /** File in llama.cpp's `models/templates`, without `.jinja`. */
  readonly template: string
  /** Text of the vocabulary's tokens around conversations and answers. */
  readonly marks?: { readonly begin: string; readonly end: string }
  /** Texts that the prompt must contain in this order: definition of the tool, the earlier call, its result. */
  readonly shows: readonly string[]
  /** End of a prompt without history, with thinking on and off; the same if the template has no switch. */
  readonly ends: { readonly on: string; readonly off: string }
  /** Answer that thinks or speaks first, and then calls `get_weather` for Zürich and 12 days. */
  readonly answer: string
  readonly reasoning?: string
  readonly text?: string
  /** True if the template itself does not show tools. */
  readonly hidesTools?: boolean
  /** True if the template shows a system message only before a final user message. */
  readonly dropsSystem?: boolean
  /** True if a second call follows, of `now` without arguments. */
  readonly isDouble?: boolean
}

export const chatFamilies: readonly ChatFamily[] = [
  {
    name: 'Qwen3',
    template: 'Qwen-Qwen3-0.6B',
    shows: [
      '<tools>\n{"type": "function", "function": {"name": "get_weather"',
      '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n</tool_call><|im_end|>',
      '<|im_start|>user\n<tool_response>\nsunny\n</tool_response>',
    ],
    ends: { on: '<|im_start|>assistant\n', off: '<|im_start|>assistant\n<think>\n\n</think>\n\n' },
    answer:
      '<think>\nA city.\n</think>\n\nOne moment.\n<tool_call>\n{"name": "get_weather", "arguments": {"city": "Zürich", "days": 12}}\n</tool_call>\n<tool_call>\n{"name": "now", "arguments": {}}\n</tool_call>',
    reasoning: 'A city.',
    text: 'One moment.\n',
    isDouble: true,
  },
  {
    name: 'Qwen3.5',
    template: 'Qwen3.5-4B',
    shows: [
      '"name": "get_weather"',
      '<function=get_weather>\n<parameter=city>\nOslo\n</parameter>',
      '<tool_response>\nsunny',
    ],
    ends: { on: '<|im_start|>assistant\n<think>\n', off: '<think>\n\n</think>\n\n' },
    answer:
      'A city.\n</think>\n\n<tool_call>\n<function=get_weather>\n<parameter=city>\nZürich\n</parameter>\n<parameter=days>\n12\n</parameter>\n</function>\n</tool_call>',
    reasoning: 'A city.',
  },
  {
    name: 'Qwen3-Coder',
    template: 'Qwen3-Coder',
    shows: [
      '<name>get_weather</name>',
      '<function=get_weather>\n<parameter=city>\nOslo\n</parameter>',
      '<tool_response>\nsunny',
    ],
    ends: { on: '<|im_start|>assistant\n', off: '<|im_start|>assistant\n' },
    answer:
      'One moment.\n<tool_call>\n<function=get_weather>\n<parameter=city>\nZürich\n</parameter>\n<parameter=days>\n12\n</parameter>\n</function>\n</tool_call>\n<tool_call>\n<function=now>\n</function>\n</tool_call>',
    text: 'One moment.\n',
    isDouble: true,
  },
  {
    name: 'Hermes',
    template: 'NousResearch-Hermes-3-Llama-3.1-8B-tool_use',
    shows: [
      '"name": "get_weather"',
      '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n</tool_call>',
      '<tool_response>\nsunny\n</tool_response>',
    ],
    ends: { on: '<|im_start|>assistant\n', off: '<|im_start|>assistant\n' },
    answer:
      '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Zürich", "days": 12}}\n</tool_call>\n<tool_call>\n{"name": "now", "arguments": {}}\n</tool_call>',
    isDouble: true,
  },
  {
    name: 'Llama 3.x',
    template: 'meta-llama-Llama-3.1-8B-Instruct',
    shows: [
      '"name": "get_weather"',
      '{"name": "get_weather", "parameters": {"city": "Oslo"}}<|eot_id|>',
      'ipython<|end_header_id|>\n\n"sunny"',
    ],
    ends: { on: 'assistant<|end_header_id|>\n\n', off: 'assistant<|end_header_id|>\n\n' },
    answer: '{"name": "get_weather", "parameters": {"city": "Zürich", "days": 12}}',
  },
  {
    name: 'Mistral Nemo',
    template: 'mistralai-Mistral-Nemo-Instruct-2407',
    marks: { begin: '<s>', end: '</s>' },
    shows: [
      '[TOOL_CALLS][{"name": "get_weather", "arguments": {"city": "Oslo"}, "id": "',
      '[TOOL_RESULTS]{"content": sunny',
      '"name": "get_weather"',
    ],
    dropsSystem: true,
    ends: { on: '[/INST]', off: '[/INST]' },
    answer: '[TOOL_CALLS][{"name": "get_weather", "arguments": {"city": "Zürich", "days": 12}, "id": "abcdef123"}]',
  },
  {
    name: 'Ministral 3',
    template: 'mistralai-Ministral-3-14B-Reasoning-2512',
    marks: { begin: '<s>', end: '</s>' },
    shows: [
      '"name": "get_weather"',
      '[TOOL_CALLS]get_weather[ARGS]{"city": "Oslo"}</s>',
      '[TOOL_RESULTS]sunny[/TOOL_RESULTS]',
    ],
    ends: { on: '[/INST]', off: '[/INST]' },
    answer:
      '[THINK]A city.[/THINK]One moment.[TOOL_CALLS]get_weather[ARGS]{"city": "Zürich", "days": 12}[TOOL_CALLS]now[ARGS]{}',
    reasoning: 'A city.',
    text: 'One moment.',
    isDouble: true,
  },
  {
    name: 'gpt-oss',
    template: 'openai-gpt-oss-120b',
    shows: [
      'type get_weather = (_: {',
      'to=functions.get_weather<|channel|>commentary json<|message|>{"city": "Oslo"}',
      'functions.get_weather to=assistant<|channel|>commentary<|message|>"sunny"',
    ],
    ends: { on: '<|start|>assistant', off: '<|start|>assistant' },
    answer:
      '<|channel|>analysis<|message|>A city.<|end|><|start|>assistant<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>{"city": "Zürich", "days": 12}',
    reasoning: 'A city.',
  },
  {
    name: 'Gemma 4',
    template: 'google-gemma-4-31B-it',
    shows: ['declaration:get_weather', '<|tool_call>call:get_weather{city:<|"|>Oslo<|"|>}<tool_call|>', 'sunny'],
    ends: { on: '<|turn>model\n', off: '<|turn>model\n<|channel>thought\n<channel|>' },
    answer:
      '<|channel>thought\nA city.\n<channel|><|tool_call>call:get_weather{city:<|"|>Zürich<|"|>,days:12}<tool_call|>',
    reasoning: 'A city.',
  },
  {
    name: 'DeepSeek R1',
    template: 'llama-cpp-deepseek-r1',
    shows: [
      'get_weather',
      '<｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather\n```json\n{"city": "Oslo"}\n```<｜tool▁call▁end｜>',
      '<｜tool▁output▁begin｜>sunny<｜tool▁output▁end｜>',
    ],
    ends: { on: '<｜Assistant｜><think>\n', off: '<｜Assistant｜><think>\n' },
    answer:
      'A city.\n</think>\n\n<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather\n```json\n{"city": "Zürich", "days": 12}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
    reasoning: 'A city.',
  },
  {
    name: 'DeepSeek R1 distilled',
    template: 'deepseek-ai-DeepSeek-R1-Distill-Qwen-32B',
    hidesTools: true,
    shows: [
      '{"name":"get_weather","description":"Weather of a city","parameters":{',
      '<｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather\n```json\n{"city": "Oslo"}\n```<｜tool▁call▁end｜>',
      '<｜tool▁output▁begin｜>sunny<｜tool▁output▁end｜>',
    ],
    ends: { on: '<｜Assistant｜><think>\n', off: '<｜Assistant｜><think>\n</think>' },
    answer:
      'A city.\n</think>\n\nOne moment.<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather\n```json\n{"city": "Zürich", "days": 12}\n```<｜tool▁call▁end｜>\n<｜tool▁call▁begin｜>function<｜tool▁sep｜>now\n```json\n{}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
    reasoning: 'A city.',
    text: 'One moment.',
    isDouble: true,
  },
  {
    name: 'DeepSeek V3.1',
    template: 'deepseek-ai-DeepSeek-V3.1',
    hidesTools: true,
    shows: [
      '{"name":"get_weather","description":"Weather of a city","parameters":{',
      '<｜tool▁call▁begin｜>get_weather<｜tool▁sep｜>{"city": "Oslo"}<｜tool▁call▁end｜>',
      '<｜tool▁output▁begin｜>sunny<｜tool▁output▁end｜>',
    ],
    ends: { on: '<｜Assistant｜><think>', off: '<｜Assistant｜><think></think>' },
    answer:
      'A city.</think><｜tool▁calls▁begin｜><｜tool▁call▁begin｜>get_weather<｜tool▁sep｜>{"city": "Zürich", "days": 12}<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
    reasoning: 'A city.',
  },
  {
    name: 'DeepSeek V3.2',
    template: 'deepseek-ai-DeepSeek-V3.2',
    shows: [
      'get_weather',
      '<｜DSML｜parameter name="city" string="true">Oslo</｜DSML｜parameter>',
      '<result>sunny</result>',
    ],
    ends: { on: '<｜Assistant｜><think>', off: '<｜Assistant｜><think></think>' },
    answer:
      'A city.</think>\n\n<｜DSML｜function_calls>\n<｜DSML｜invoke name="get_weather">\n<｜DSML｜parameter name="city" string="true">Zürich</｜DSML｜parameter>\n<｜DSML｜parameter name="days" string="false">12</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>',
    reasoning: 'A city.',
  },
  {
    name: 'GLM 4.6',
    template: 'GLM-4.6',
    shows: [
      '"name": "get_weather"',
      '<tool_call>get_weather\n<arg_key>city</arg_key>\n<arg_value>Oslo</arg_value>',
      '<tool_response>\nsunny\n</tool_response>',
    ],
    ends: { on: '<|assistant|>', off: '<|assistant|>\n<think></think>' },
    answer:
      '\n<think>A city.</think>\n<tool_call>get_weather\n<arg_key>city</arg_key>\n<arg_value>Zürich</arg_value>\n<arg_key>days</arg_key>\n<arg_value>12</arg_value>\n</tool_call>',
    reasoning: 'A city.',
  },
  {
    name: 'GLM 4.7',
    template: 'GLM-4.7-Flash',
    shows: [
      '"name": "get_weather"',
      '<tool_call>get_weather<arg_key>city</arg_key><arg_value>Oslo</arg_value></tool_call>',
      '<tool_response>sunny</tool_response>',
    ],
    ends: { on: '<|assistant|><think>', off: '<|assistant|></think>' },
    answer:
      'A city.</think><tool_call>get_weather<arg_key>city</arg_key><arg_value>Zürich</arg_value><arg_key>days</arg_key><arg_value>12</arg_value></tool_call>',
    reasoning: 'A city.',
  },
  {
    name: 'Command R7B',
    template: 'CohereForAI-c4ai-command-r7b-12-2024-tool_use',
    shows: ['"name": "get_weather"', '"tool_name": "get_weather", "parameters": {"city": "Oslo"}', '"0": "sunny"'],
    ends: { on: '<|CHATBOT_TOKEN|>', off: '<|CHATBOT_TOKEN|><|START_THINKING|><|END_THINKING|>' },
    answer:
      '<|START_THINKING|>A city.<|END_THINKING|><|START_ACTION|>[\n    {"tool_call_id": "0", "tool_name": "get_weather", "parameters": {"city": "Zürich", "days": 12}}\n]<|END_ACTION|>',
    reasoning: 'A city.',
  },
  {
    name: 'Cohere2 MoE',
    template: 'Cohere2MoE',
    shows: ['"name": "get_weather"', '"tool_name": "get_weather", "parameters": {"city": "Oslo"}', 'sunny'],
    ends: { on: '<|CHATBOT_TOKEN|><|START_THINKING|>', off: '<|CHATBOT_TOKEN|><|START_THINKING|><|END_THINKING|>' },
    answer:
      'A city.<|END_THINKING|><|START_ACTION|>[\n    {"tool_call_id": "0", "tool_name": "get_weather", "parameters": {"city": "Zürich", "days": 12}}\n]<|END_ACTION|>',
    reasoning: 'A city.',
  },
  {
    name: 'Granite 4',
    template: 'ibm-granite-granite-4.0',
    shows: [
      '"name": "get_weather"',
      '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n</tool_call>',
      '<tool_response>\nsunny\n</tool_response>',
    ],
    ends: { on: 'assistant<|end_of_role|>', off: 'assistant<|end_of_role|>' },
    answer: '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Zürich", "days": 12}}\n</tool_call>',
  },
  {
    name: 'Kimi K2',
    template: 'Kimi-K2-Thinking',
    shows: [
      'get_weather',
      '<|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>{"city": "Oslo"}<|tool_call_end|>',
      '\nsunny<|im_end|>',
    ],
    ends: { on: '<|im_assistant|>assistant<|im_middle|>', off: '<|im_assistant|>assistant<|im_middle|>' },
    answer:
      '<think>A city.</think>One moment.<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>{"city": "Zürich", "days": 12}<|tool_call_end|><|tool_call_begin|>functions.now:1<|tool_call_argument_begin|>{}<|tool_call_end|><|tool_calls_section_end|>',
    reasoning: 'A city.',
    text: 'One moment.',
    isDouble: true,
  },
  {
    name: 'MiniMax M2',
    template: 'MiniMax-M2',
    shows: [
      '"name": "get_weather"',
      '<invoke name="get_weather">\n<parameter name="city">Oslo</parameter>',
      '<response>sunny</response>',
    ],
    ends: { on: ']~b]ai\n<think>\n', off: ']~b]ai\n<think>\n' },
    answer:
      'A city.\n</think>\n\n<minimax:tool_call>\n<invoke name="get_weather">\n<parameter name="city">Zürich</parameter>\n<parameter name="days">12</parameter>\n</invoke>\n</minimax:tool_call>',
    reasoning: 'A city.',
  },
  {
    name: 'Nemotron Nano',
    template: 'NVIDIA-Nemotron-Nano-v2',
    shows: [
      '"name": "get_weather"',
      '<TOOLCALL>[{"name": "get_weather", "arguments": {"city": "Oslo"}}]</TOOLCALL>',
      '<TOOL_RESPONSE>[sunny]</TOOL_RESPONSE>',
    ],
    ends: { on: '<SPECIAL_11>Assistant\n<think>\n', off: '<SPECIAL_11>Assistant\n<think>\n' },
    answer:
      'A city.\n</think>\n\n<TOOLCALL>[{"name": "get_weather", "arguments": {"city": "Zürich", "days": 12}}]</TOOLCALL>',
    reasoning: 'A city.',
  },
]
