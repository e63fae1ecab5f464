'use strict';

// What runs and a linter refuses.

const statements = (module) => module.blocks().flatMap(({ body }) => body).filter((node) => module.isWholeLine(node));

exports.LINTING = {
  unused_variable: (module, random) => statements(module).map((node) => {
    const start = module.lineStart(node.start);
    const semicolon = module.text.includes(';\n') ? ';' : '';
    return [start, start, `${module.indent(node)}${random.choice(['const', 'let', 'var'])} leftover = ${random.choice(['null', '0', '[]', "''"])}${semicolon}\n`];
  }),

  unused_import: (module, random) => module.imports().filter((one) => module.isWholeLine(one.node)).map((one) => {
    const start = module.lineStart(one.node.start);
    const name = random.choice(['fs', 'path', 'os', 'util']);
    const quote = module.text[one.source.start];
    const text = one.node.type === 'ImportDeclaration' ? `import ${name}_ from ${quote}${name}${quote}` : `const ${name}_ = require(${quote}${name}${quote})`;
    return [start, start, `${text}${module.text.includes(';\n') ? ';' : ''}\n`];
  }),

  other_quotes: (module) => module.nodes('StringLiteral').filter((node) => !/["'\\]/.test(node.value)).map((node) => {
    const other = module.text[node.start] === '"' ? "'" : '"';
    return [node.start, node.end, other + node.value + other];
  }),

  lost_semicolon: (module) => statements(module).filter((node) => module.source(node).endsWith(';')).map((node) => [node.end - 1, node.end, '']),

  extra_semicolon: (module) => statements(module).filter((node) => !module.source(node).endsWith('}')).map((node) => [node.end, node.end, ';']),

  let_for_const: (module) => module.nodes('VariableDeclaration').filter((node) => node.kind === 'const').map((node) => [node.start, node.start + 5, 'let']),

  var_for_const: (module) => module.nodes('VariableDeclaration').filter((node) => node.kind !== 'var')
    .map((node) => [node.start, node.start + node.kind.length, 'var']),

  loose_equality: (module) => module.nodes('BinaryExpression').filter((node) => ['===', '!=='].includes(node.operator)).map((node) => {
    const at = module.text.indexOf(node.operator, node.left.end);
    return [at, at + 3, node.operator.slice(0, 2)];
  }),

  trailing_space: (module) => statements(module).map((node) => [node.end, node.end, '  ']),

  double_space: (module) => module.nodes('VariableDeclarator').filter((node) => node.init).map((node) => [node.id.end, node.id.end, ' ']),

  lost_space: (module) => module.nodes('BinaryExpression', 'AssignmentExpression').map((node) => {
    const at = module.text.indexOf(node.operator, node.left.end);
    return [node.left.end, at, ''];
  }).filter(([start, end]) => end > start),

  too_many_lines: (module) => statements(module).map((node) => {
    const start = module.lineStart(node.start);
    return [start, start, '\n\n\n'];
  }),

  dangling_comma: (module) => module.nodes('ObjectExpression', 'ArrayExpression').filter((node) => {
    const list = node.properties || node.elements;
    return list.length > 0 && list[list.length - 1];
  }).map((node) => {
    const list = node.properties || node.elements;
    const { end } = list[list.length - 1];
    return [end, end, ','];
  }),

  debugger_left: (module) => statements(module).map((node) => {
    const start = module.lineStart(node.start);
    return [start, start, `${module.indent(node)}debugger;\n`];
  }),

  empty_block: (module) => statements(module).filter((node) => node.parent.type === 'BlockStatement').map((node) => {
    const start = module.lineStart(node.start);
    return [start, start, `${module.indent(node)}if (true) {}\n`];
  }),

  double_key: (module) => module.nodes('ObjectExpression').flatMap(({ properties }) => properties.slice(1).flatMap((property) => {
    const isSmall = property.type === 'ObjectProperty' && !property.computed && !module.source(property).includes('\n');
    return isSmall ? [[property.start, property.start, `${module.source(property)}, `]] : [];
  })),
};

/** Lines that begin a statement below another. */
const indented = (module) => statements(module).filter((node) => module.indent(node).length > 0);

exports.INDENTATION = {
  extra_space: (module, random) => indented(module).map((node) => [node.start, node.start, random.choice([' ', '  ', '   '])]),

  lost_space_before: (module, random) => indented(module).map((node) => {
    const start = module.lineStart(node.start);
    return [start, start + Math.min(module.indent(node).length, random.choice([1, 2])), ''];
  }),

  tab_for_spaces: (module) => indented(module).map((node) => {
    const start = module.lineStart(node.start);
    return [start, node.start, module.indent(node).includes('\t') ? '    ' : '\t'];
  }),

  flat_block: (module) => module.nodes('BlockStatement').filter((node) => node.body.length > 0 && module.isWholeLine(node.body[0])).map((node) => {
    const start = module.lineStart(node.body[0].start);
    const end = module.lineEnd(node.body[node.body.length - 1].end);
    const outer = /^[ \t]*/.exec(module.text.slice(module.lineStart(node.start)))[0].length;
    const width = module.indent(node.body[0]).length - outer;
    const lines = module.text.slice(start, end).split('\n').map((line) => (/^\s/.test(line) ? line.slice(Math.max(width, 0)) : line));
    return [start, end, lines.join('\n')];
  }),

  closing_bracket_shifted: (module, random) => module.nodes('BlockStatement').filter((node) => !module.text.slice(module.lineStart(node.end - 1), node.end - 1).trim())
    .map((node) => [node.end - 1, node.end - 1, random.choice([' ', '  '])]),
};

