'use strict';

// Names, properties and arguments that do not fit.

const { typo } = require('./module');

const calls = (module) => module.nodes('CallExpression', 'NewExpression').filter((node) => node.callee.name !== 'require');

const isUse = (node) => {
  const { parent } = node;
  const isKey = ['ObjectProperty', 'ObjectMethod', 'ClassMethod', 'ClassProperty'].includes(parent.type) && parent.key === node && !parent.computed;
  const isMember = /MemberExpression/.test(parent.type) && parent.property === node && !parent.computed;
  const isDeclared = ['VariableDeclarator', 'FunctionDeclaration', 'FunctionExpression', 'ClassDeclaration'].includes(parent.type) && parent.id === node;
  const isParameter = Array.isArray(parent.params) && parent.params.includes(node);
  return !isKey && !isMember && !isDeclared && !isParameter && !/^(TS|Import|Export|Labeled|Break|Continue)/.test(parent.type);
};

exports.TYPE_ERROR = {
  typo_in_property: (module, random) => module.nodes('MemberExpression', 'OptionalMemberExpression').filter((node) => !node.computed && node.property.name)
    .map(({ property }) => [property.start, property.end, typo(property.name, random)]),

  typo_in_name: (module, random) => module.nodes('Identifier').filter((node) => node.parent && isUse(node) && node.name.length > 1)
    .map((node) => [node.start, node.start + node.name.length, typo(node.name, random)]),

  lost_argument: (module) => calls(module).flatMap(({ arguments: given }) => {
    if (given.length === 1) return [[given[0].start, given[0].end, '']];
    return given.slice(1).map((right, index) => [given[index].end, right.end, '']);
  }),

  swapped_arguments: (module) => calls(module).flatMap(({ arguments: given }) => given.slice(1).map((right, index) => {
    const left = given[index];
    return [left.start, right.end, module.source(right) + module.text.slice(left.end, right.start) + module.source(left)];
  })),

  argument_too_many: (module, random) => calls(module).filter((node) => node.arguments.length > 0).map(({ arguments: given }) => {
    const { start } = given[0];
    return [start, start, random.choice(['null, ', '0, ', 'this, ', '{}, '])];
  }),

  lost_call: (module) => calls(module).filter((node) => node.type === 'CallExpression' && node.arguments.length === 0)
    .map((node) => [node.callee.end, node.end, '']),

  call_too_many: (module) => module.nodes('MemberExpression')
    .filter((node) => !/Call|New|Update|Unary/.test(node.parent.type) && !(node.parent.type === 'AssignmentExpression' && node.parent.left === node))
    .map((node) => [node.end, node.end, '()']),

  lost_new: (module) => module.nodes('NewExpression').map((node) => [node.start, node.callee.start, '']),

  lost_await: (module) => module.nodes('AwaitExpression').map((node) => [node.start, node.argument.start, '']),

  lost_return: (module) => module.nodes('ReturnStatement').filter((node) => node.argument).map((node) => [node.start, node.argument.start, '']),

  lost_receiver: (module) => module.nodes('MemberExpression').filter((node) => node.object.type === 'ThisExpression' && !node.computed)
    .map((node) => [node.start, node.property.start, '']),

  lost_parameter: (module) => module.functions().flatMap(({ params }) => params.slice(1).map((right, index) => [params[index].end, right.end, ''])),

  swapped_parameters: (module) => module.functions().flatMap(({ params }) => params.slice(1).map((right, index) => {
    const left = params[index];
    return [left.start, right.end, module.source(right) + module.text.slice(left.end, right.start) + module.source(left)];
  })),

  const_for_let: (module) => module.nodes('VariableDeclaration').filter((node) => ['let', 'var'].includes(node.kind) && node.declarations.every((one) => one.init))
    .map((node) => [node.start, node.start + 3, 'const']),

  other_method: (module, random) => module.nodes('CallExpression').filter(({ callee }) => callee.type === 'MemberExpression' && !callee.computed).flatMap(({ callee }) => {
    // What the same thing is called in other languages.
    const others = {
      push: ['append', 'add'], includes: ['contains', 'has'], indexOf: ['find_index', 'index'], length: ['size'], toLowerCase: ['lower', 'toLower'],
      toUpperCase: ['upper'], hasOwnProperty: ['has', 'hasOwn'], forEach: ['each', 'foreach'], map: ['collect'], slice: ['substring_'], trim: ['strip'],
      startsWith: ['startswith'], endsWith: ['endswith'], join: ['concat_'], replace: ['sub'], keys: ['getKeys'], substr: ['subStr'], charAt: ['at_'],
    }[callee.property.name];
    return others ? [[callee.property.start, callee.property.end, random.choice(others)]] : [];
  }),
};
