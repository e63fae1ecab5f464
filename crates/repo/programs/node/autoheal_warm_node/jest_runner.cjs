'use strict';
// What jest gives the tests to: it hands them on, and has never done.

class Runner {
  constructor(globalConfig, context) {
    Object.assign(this, { globalConfig, context, isSerial: true });
  }

  runTests(tests) {
    process[Symbol.for('autoheal.jest')]({ globalConfig: this.globalConfig, context: this.context, tests });
    return new Promise(() => {});
  }
}

module.exports = Runner;
module.exports.default = Runner;
