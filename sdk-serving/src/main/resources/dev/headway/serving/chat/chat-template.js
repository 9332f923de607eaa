// What is between JinjaScript and jinja.js: it makes templates, renders them, and mends where
// the library writes something else than Python's Jinja2. Loaded behind jinja.js, whose exports
// are its one global name. Functions answer { value } or { error, refused } and do not throw.
"use strict";

var chatTemplate = (function (jinja) {
  var OPTIONS = { lstrip_blocks: true, trim_blocks: true }; // as transformers sets them
  var MONTHS = ["January", "February", "March", "April", "May", "June", "July", "August"];
  MONTHS.push("September", "October", "November", "December");
  var DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

  /** What raise_exception throws: the template does not want these messages. */
  function Refusal(message) {
    this.message = String(message);
  }

  function attempt(action) {
    try {
      return { value: action() };
    } catch (e) {
      return { error: String(e.message), refused: e instanceof Refusal };
    }
  }

  // ---- what a template may make of a number

  var MOST_REPEATED = 1 << 20; // characters: an indent of two billion would fill the heap
  var repeat = String.prototype.repeat;
  String.prototype.repeat = function (times) {
    if (this.length * times > MOST_REPEATED) {
      throw new Error("an indent must not make more than " + MOST_REPEATED + " characters");
    }
    return repeat.call(this, times);
  };

  // ---- where the library differs from Python

  var setVariable = jinja.Environment.prototype.set;
  var StringValue = new jinja.Environment().set("a", "text").constructor;
  var BooleanValue = new jinja.Environment().set("a", true).constructor;
  var FunctionValue = new jinja.Environment().set("a", function () {}).constructor;

  jinja.Environment.prototype.set = function (name, value) {
    var own = { raise_exception: refuse, strftime_now: strftime };
    return setVariable.call(this, name, own.hasOwnProperty(name) ? own[name] : value);
  };

  function refuse(message) {
    throw new Refusal(message);
  }

  BooleanValue.prototype.toString = function () {
    return this.value ? "True" : "False";
  };

  // its strip methods take no characters, and take JavaScript's white space
  var methods = Object.getOwnPropertyDescriptor(StringValue.prototype, "builtins").get;
  Object.defineProperty(StringValue.prototype, "builtins", {
    get: function () {
      var text = this;
      var known = methods.call(this);
      if (!this.mended) {
        this.mended = true;
        known.set("strip", stripping(text, true, true));
        known.set("lstrip", stripping(text, true, false));
        known.set("rstrip", stripping(text, false, true));
      }
      return known;
    },
  });

  function stripping(text, left, right) {
    return new FunctionValue(function (given) {
      var chars = given.length > 0 && given[0] instanceof StringValue ? given[0].value : null;
      return new StringValue(strip(text.value, chars, left, right));
    });
  }

  var BLOCK = 4096; // characters

  function strip(text, chars, left, right) {
    var from = 0;
    var to = text.length;
    // a character at a time takes seconds on megabytes: whole blocks first
    while (left && to - from >= BLOCK && areStripped(text.slice(from, from + BLOCK), chars)) {
      from += BLOCK;
    }
    while (right && to - from >= BLOCK && areStripped(text.slice(to - BLOCK, to), chars)) {
      to -= BLOCK;
    }
    while (left && from < to && isStripped(text.charAt(from), chars)) from++;
    while (right && to > from && isStripped(text.charAt(to - 1), chars)) to--;
    return text.slice(from, to);
  }

  function areStripped(block, chars) {
    if (chars === null) return !/[^\s\x1c-\x1f\x85]/.test(block) && block.indexOf("\ufeff") < 0;
    var other = "[^" + chars.replace(/[\\\]\[^-]/g, "\\$&") + "]";
    return chars !== "" && !new RegExp(other).test(block);
  }

  function isStripped(char, chars) {
    if (chars !== null) return chars.indexOf(char) >= 0;
    return char !== "\ufeff" && /[\s\x1c-\x1f\x85]/.test(char);
  }

  function strftime(format) {
    var now = new Date();
    return format.replace(/%([\s\S])/g, function (directive, letter) {
      if (!field.hasOwnProperty(letter)) {
        throw new Error("strftime_now does not know " + directive);
      }
      return field[letter](now);
    });
  }

  var field = {
    Y: (now) => String(now.getFullYear()),
    y: (now) => pad(now.getFullYear() % 100, 2),
    m: (now) => pad(now.getMonth() + 1, 2),
    B: (now) => MONTHS[now.getMonth()],
    b: (now) => MONTHS[now.getMonth()].slice(0, 3),
    d: (now) => pad(now.getDate(), 2),
    A: (now) => DAYS[now.getDay()],
    a: (now) => DAYS[now.getDay()].slice(0, 3),
    H: (now) => pad(now.getHours(), 2),
    I: (now) => pad(now.getHours() % 12 || 12, 2),
    p: (now) => (now.getHours() < 12 ? "AM" : "PM"),
    M: (now) => pad(now.getMinutes(), 2),
    S: (now) => pad(now.getSeconds(), 2),
    "%": () => "%",
  };

  function pad(number, digits) {
    return String(number).padStart(digits, "0");
  }

  // ---- what Java calls

  /** A template, from its text. */
  function compile(source) {
    return attempt(function () {
      try {
        return new jinja.Template(source);
      } catch (e) {
        // the parser does not look whether there is a next token
        throw e instanceof TypeError ? new Error("it ends inside a block or a tag") : e;
      }
    });
  }

  /** The prompt, from a template and its variables in JSON. */
  function render(template, variables) {
    return attempt(function () {
      return template.render(JSON.parse(variables));
    });
  }

  /** Whether the text consists of tokens, whatever they mean. */
  function isTokens(source) {
    return attempt(function () {
      return jinja.tokenize(source, OPTIONS).length;
    });
  }

  /** How many tags the parser has begun to read when it fails. */
  function tagsRead(source) {
    var tokens = jinja.tokenize(source, OPTIONS);
    var last = -1;
    var watched = new Proxy(tokens, {
      get: function (target, key) {
        if (/^\d+$/.test(String(key))) last = Math.max(last, Number(key));
        return target[key];
      },
    });
    attempt(function () {
      return jinja.parse(watched);
    });
    return tokens.slice(0, last + 1).filter(function (token) {
      return token.type === "OpenStatement" || token.type === "OpenExpression";
    }).length;
  }

  /** The last mark that a rendering passes; marks are calls of passing(number). */
  function lastMark(source, variables) {
    var last = -1;
    var items = JSON.parse(variables);
    items.passing = function (mark) {
      last = mark;
      return "";
    };
    attempt(function () {
      return new jinja.Template(source).render(items);
    });
    return last;
  }

  return { compile, render, isTokens, tagsRead, lastMark };
})(exports);
