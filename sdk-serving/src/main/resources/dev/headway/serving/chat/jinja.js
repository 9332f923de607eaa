/*
@huggingface/jinja 0.5.11, rewritten for Rhino by scripts/jinja.sh. Not edited by hand.

MIT License

Copyright (c) 2023 Hugging Face

Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.
*/
"use strict";

Object.defineProperty(exports, "__esModule", {
  value: true
});
exports.Template = exports.Interpreter = exports.Environment = void 0;
exports.parse = parse;
exports.tokenize = tokenize;
function _toConsumableArray(r) { return _arrayWithoutHoles(r) || _iterableToArray(r) || _unsupportedIterableToArray(r) || _nonIterableSpread(); }
function _nonIterableSpread() { throw new TypeError("Invalid attempt to spread non-iterable instance.\nIn order to be iterable, non-array objects must have a [Symbol.iterator]() method."); }
function _iterableToArray(r) { if ("undefined" != typeof Symbol && null != r[Symbol.iterator] || null != r["@@iterator"]) return Array.from(r); }
function _arrayWithoutHoles(r) { if (Array.isArray(r)) return _arrayLikeToArray(r); }
function _wrapNativeSuper(t) { var r = "function" == typeof Map ? new Map() : void 0; return _wrapNativeSuper = function _wrapNativeSuper(t) { if (null === t || !_isNativeFunction(t)) return t; if ("function" != typeof t) throw new TypeError("Super expression must either be null or a function"); if (void 0 !== r) { if (r.has(t)) return r.get(t); r.set(t, Wrapper); } function Wrapper() { return _construct(t, arguments, _getPrototypeOf(this).constructor); } return Wrapper.prototype = Object.create(t.prototype, { constructor: { value: Wrapper, enumerable: !1, writable: !0, configurable: !0 } }), _setPrototypeOf(Wrapper, t); }, _wrapNativeSuper(t); }
function _isNativeFunction(t) { try { return -1 !== Function.toString.call(t).indexOf("[native code]"); } catch (n) { return "function" == typeof t; } }
function _construct(t, e, r) { if (_isNativeReflectConstruct()) return Reflect.construct.apply(null, arguments); var o = [null]; o.push.apply(o, e); var p = new (t.bind.apply(t, o))(); return r && _setPrototypeOf(p, r.prototype), p; }
function _callSuper(t, o, e) { return o = _getPrototypeOf(o), _possibleConstructorReturn(t, _isNativeReflectConstruct() ? Reflect.construct(o, e || [], _getPrototypeOf(t).constructor) : o.apply(t, e)); }
function _possibleConstructorReturn(t, e) { if (e && ("object" == typeof e || "function" == typeof e)) return e; if (void 0 !== e) throw new TypeError("Derived constructors may only return object or undefined"); return _assertThisInitialized(t); }
function _assertThisInitialized(e) { if (void 0 === e) throw new ReferenceError("this hasn't been initialised - super() hasn't been called"); return e; }
function _isNativeReflectConstruct() { try { var t = !Boolean.prototype.valueOf.call(Reflect.construct(Boolean, [], function () {})); } catch (t) {} return (_isNativeReflectConstruct = function _isNativeReflectConstruct() { return !!t; })(); }
function _getPrototypeOf(t) { return _getPrototypeOf = Object.setPrototypeOf ? Object.getPrototypeOf.bind() : function (t) { return t.__proto__ || Object.getPrototypeOf(t); }, _getPrototypeOf(t); }
function _inherits(t, e) { if ("function" != typeof e && null !== e) throw new TypeError("Super expression must either be null or a function"); t.prototype = Object.create(e && e.prototype, { constructor: { value: t, writable: !0, configurable: !0 } }), Object.defineProperty(t, "prototype", { writable: !1 }), e && _setPrototypeOf(t, e); }
function _setPrototypeOf(t, e) { return _setPrototypeOf = Object.setPrototypeOf ? Object.setPrototypeOf.bind() : function (t, e) { return t.__proto__ = e, t; }, _setPrototypeOf(t, e); }
function _defineProperty(e, r, t) { return (r = _toPropertyKey(r)) in e ? Object.defineProperty(e, r, { value: t, enumerable: !0, configurable: !0, writable: !0 }) : e[r] = t, e; }
function _slicedToArray(r, e) { return _arrayWithHoles(r) || _iterableToArrayLimit(r, e) || _unsupportedIterableToArray(r, e) || _nonIterableRest(); }
function _nonIterableRest() { throw new TypeError("Invalid attempt to destructure non-iterable instance.\nIn order to be iterable, non-array objects must have a [Symbol.iterator]() method."); }
function _iterableToArrayLimit(r, l) { var t = null == r ? null : "undefined" != typeof Symbol && r[Symbol.iterator] || r["@@iterator"]; if (null != t) { var e, n, i, u, a = [], f = !0, o = !1; try { if (i = (t = t.call(r)).next, 0 === l) { if (Object(t) !== t) return; f = !1; } else for (; !(f = (e = i.call(t)).done) && (a.push(e.value), a.length !== l); f = !0); } catch (r) { o = !0, n = r; } finally { try { if (!f && null != t.return && (u = t.return(), Object(u) !== u)) return; } finally { if (o) throw n; } } return a; } }
function _arrayWithHoles(r) { if (Array.isArray(r)) return r; }
function _createForOfIteratorHelper(r, e) { var t = "undefined" != typeof Symbol && r[Symbol.iterator] || r["@@iterator"]; if (!t) { if (Array.isArray(r) || (t = _unsupportedIterableToArray(r)) || e && r && "number" == typeof r.length) { t && (r = t); var _n10 = 0, F = function F() {}; return { s: F, n: function n() { return _n10 >= r.length ? { done: !0 } : { done: !1, value: r[_n10++] }; }, e: function e(r) { throw r; }, f: F }; } throw new TypeError("Invalid attempt to iterate non-iterable instance.\nIn order to be iterable, non-array objects must have a [Symbol.iterator]() method."); } var o, a = !0, u = !1; return { s: function s() { t = t.call(r); }, n: function n() { var r = t.next(); return a = r.done, r; }, e: function e(r) { u = !0, o = r; }, f: function f() { try { a || null == t.return || t.return(); } finally { if (u) throw o; } } }; }
function _unsupportedIterableToArray(r, a) { if (r) { if ("string" == typeof r) return _arrayLikeToArray(r, a); var t = {}.toString.call(r).slice(8, -1); return "Object" === t && r.constructor && (t = r.constructor.name), "Map" === t || "Set" === t ? Array.from(r) : "Arguments" === t || /^(?:Ui|I)nt(?:8|16|32)(?:Clamped)?Array$/.test(t) ? _arrayLikeToArray(r, a) : void 0; } }
function _arrayLikeToArray(r, a) { (null == a || a > r.length) && (a = r.length); for (var e = 0, n = Array(a); e < a; e++) n[e] = r[e]; return n; }
function _defineProperties(e, r) { for (var t = 0; t < r.length; t++) { var o = r[t]; o.enumerable = o.enumerable || !1, o.configurable = !0, "value" in o && (o.writable = !0), Object.defineProperty(e, _toPropertyKey(o.key), o); } }
function _createClass(e, r, t) { return r && _defineProperties(e.prototype, r), t && _defineProperties(e, t), Object.defineProperty(e, "prototype", { writable: !1 }), e; }
function _toPropertyKey(t) { var i = _toPrimitive(t, "string"); return "symbol" == typeof i ? i : i + ""; }
function _toPrimitive(t, e) { if ("object" != typeof t || !t) return t; var r; if ("undefined" != typeof Symbol && void 0 !== (r = t[Symbol.toPrimitive])) { var i = r.call(t, e || "default"); if ("object" != typeof i) return i; throw new TypeError("@@toPrimitive must return a primitive value."); } return ("string" === e ? String : Number)(t); }
function _classCallCheck(a, n) { if (!(a instanceof n)) throw new TypeError("Cannot call a class as a function"); }
var __defProp = Object.defineProperty;
var __defNormalProp = (obj, key, value) => key in obj ? __defProp(obj, key, {
  enumerable: true,
  configurable: true,
  writable: true,
  value
}) : obj[key] = value;
var __publicField = (obj, key, value) => {
  __defNormalProp(obj, typeof key !== "symbol" ? key + "" : key, value);
  return value;
};
var TOKEN_TYPES = Object.freeze({
  Text: "Text",
  NumericLiteral: "NumericLiteral",
  StringLiteral: "StringLiteral",
  Identifier: "Identifier",
  Equals: "Equals",
  OpenParen: "OpenParen",
  CloseParen: "CloseParen",
  OpenStatement: "OpenStatement",
  CloseStatement: "CloseStatement",
  OpenExpression: "OpenExpression",
  CloseExpression: "CloseExpression",
  OpenSquareBracket: "OpenSquareBracket",
  CloseSquareBracket: "CloseSquareBracket",
  OpenCurlyBracket: "OpenCurlyBracket",
  CloseCurlyBracket: "CloseCurlyBracket",
  Comma: "Comma",
  Dot: "Dot",
  Colon: "Colon",
  Pipe: "Pipe",
  CallOperator: "CallOperator",
  AdditiveBinaryOperator: "AdditiveBinaryOperator",
  MultiplicativeBinaryOperator: "MultiplicativeBinaryOperator",
  ExponentiationBinaryOperator: "ExponentiationBinaryOperator",
  ComparisonBinaryOperator: "ComparisonBinaryOperator",
  UnaryOperator: "UnaryOperator",
  Comment: "Comment"
});
var Token = _createClass(function Token(value, type) {
  _classCallCheck(this, Token);
  this.value = value;
  this.type = type;
});
function isWord(char) {
  return /\w/.test(char);
}
function isInteger(char) {
  return /[0-9]/.test(char);
}
function isWhitespace(char) {
  return /\s/.test(char);
}
var ORDERED_MAPPING_TABLE = [["{%", TOKEN_TYPES.OpenStatement], ["%}", TOKEN_TYPES.CloseStatement], ["{{", TOKEN_TYPES.OpenExpression], ["}}", TOKEN_TYPES.CloseExpression], ["(", TOKEN_TYPES.OpenParen], [")", TOKEN_TYPES.CloseParen], ["{", TOKEN_TYPES.OpenCurlyBracket], ["}", TOKEN_TYPES.CloseCurlyBracket], ["[", TOKEN_TYPES.OpenSquareBracket], ["]", TOKEN_TYPES.CloseSquareBracket], [",", TOKEN_TYPES.Comma], [".", TOKEN_TYPES.Dot], [":", TOKEN_TYPES.Colon], ["|", TOKEN_TYPES.Pipe], ["<=", TOKEN_TYPES.ComparisonBinaryOperator], [">=", TOKEN_TYPES.ComparisonBinaryOperator], ["==", TOKEN_TYPES.ComparisonBinaryOperator], ["!=", TOKEN_TYPES.ComparisonBinaryOperator], ["<", TOKEN_TYPES.ComparisonBinaryOperator], [">", TOKEN_TYPES.ComparisonBinaryOperator], ["+", TOKEN_TYPES.AdditiveBinaryOperator], ["-", TOKEN_TYPES.AdditiveBinaryOperator], ["~", TOKEN_TYPES.AdditiveBinaryOperator], ["**", TOKEN_TYPES.ExponentiationBinaryOperator], ["*", TOKEN_TYPES.MultiplicativeBinaryOperator], ["//", TOKEN_TYPES.MultiplicativeBinaryOperator], ["/", TOKEN_TYPES.MultiplicativeBinaryOperator], ["%", TOKEN_TYPES.MultiplicativeBinaryOperator], ["=", TOKEN_TYPES.Equals]];
var ESCAPE_CHARACTERS = new Map([["n", "\n"], ["t", "	"], ["r", "\r"], ["b", "\b"], ["f", "\f"], ["v", "\v"], ["'", "'"], ['"', '"'], ["\\", "\\"]]);
function preprocess(template) {
  var options = arguments.length > 1 && arguments[1] !== undefined ? arguments[1] : {};
  if (template.endsWith("\n")) {
    template = template.slice(0, -1);
  }
  if (options.lstrip_blocks) {
    template = template.replace(/^[ \t]*({[#%-])/gm, "$1");
  }
  if (options.trim_blocks) {
    template = template.replace(/([#%-]})\n/g, "$1");
  }
  return template.replace(/(\s*){%(-?)\s*(?:end)?generation\s*(-?)%}(\s*)/gs, (_, before, lstrip, rstrip, after) => (lstrip ? "" : before) + (rstrip ? "" : after));
}
function tokenize(source) {
  var options = arguments.length > 1 && arguments[1] !== undefined ? arguments[1] : {};
  var tokens = [];
  var src = preprocess(source, options);
  var cursorPosition = 0;
  var curlyBracketDepth = 0;
  var consumeWhile = predicate => {
    var str = "";
    while (predicate(src[cursorPosition])) {
      if (src[cursorPosition] === "\\") {
        ++cursorPosition;
        if (cursorPosition >= src.length) {
          throw new SyntaxError("Unexpected end of input");
        }
        var escaped = src[cursorPosition++];
        if (escaped === "x" || escaped === "u") {
          var length = escaped === "x" ? 2 : 4;
          var hex = src.slice(cursorPosition, cursorPosition + length);
          if (hex.length !== length || /[^0-9a-f]/i.test(hex)) {
            throw new SyntaxError(`Invalid hexadecimal escape sequence: \\${escaped}${hex}`);
          }
          str += String.fromCharCode(parseInt(hex, 16));
          cursorPosition += length;
          continue;
        }
        var unescaped = ESCAPE_CHARACTERS.get(escaped);
        if (unescaped === void 0) {
          throw new SyntaxError(`Unexpected escaped character: ${escaped}`);
        }
        str += unescaped;
        continue;
      }
      str += src[cursorPosition++];
      if (cursorPosition >= src.length) {
        throw new SyntaxError("Unexpected end of input");
      }
    }
    return str;
  };
  var stripTrailingWhitespace = () => {
    var lastToken = tokens.at(-1);
    if (lastToken && lastToken.type === TOKEN_TYPES.Text) {
      lastToken.value = lastToken.value.trimEnd();
      if (lastToken.value === "") {
        tokens.pop();
      }
    }
  };
  var skipLeadingWhitespace = () => {
    while (cursorPosition < src.length && isWhitespace(src[cursorPosition])) {
      ++cursorPosition;
    }
  };
  var _loop = function _loop() {
      var _tokens$at;
      var lastTokenType = (_tokens$at = tokens.at(-1)) === null || _tokens$at === void 0 ? void 0 : _tokens$at.type;
      if (lastTokenType === void 0 || lastTokenType === TOKEN_TYPES.CloseStatement || lastTokenType === TOKEN_TYPES.CloseExpression || lastTokenType === TOKEN_TYPES.Comment) {
        var text = "";
        while (cursorPosition < src.length && !(src[cursorPosition] === "{" && (src[cursorPosition + 1] === "%" || src[cursorPosition + 1] === "{" || src[cursorPosition + 1] === "#"))) {
          text += src[cursorPosition++];
        }
        if (text.length > 0) {
          tokens.push(new Token(text, TOKEN_TYPES.Text));
          return 0;
        }
      }
      if (src[cursorPosition] === "{" && src[cursorPosition + 1] === "#") {
        cursorPosition += 2;
        var stripBefore = src[cursorPosition] === "-";
        if (stripBefore) {
          ++cursorPosition;
        }
        var comment = "";
        while (src[cursorPosition] !== "#" || src[cursorPosition + 1] !== "}") {
          if (cursorPosition + 2 >= src.length) {
            throw new SyntaxError("Missing end of comment tag");
          }
          comment += src[cursorPosition++];
        }
        var stripAfter = comment.endsWith("-");
        if (stripAfter) {
          comment = comment.slice(0, -1);
        }
        if (stripBefore) {
          stripTrailingWhitespace();
        }
        tokens.push(new Token(comment, TOKEN_TYPES.Comment));
        cursorPosition += 2;
        if (stripAfter) {
          skipLeadingWhitespace();
        }
        return 0;
      }
      if (src.slice(cursorPosition, cursorPosition + 3) === "{%-") {
        stripTrailingWhitespace();
        tokens.push(new Token("{%", TOKEN_TYPES.OpenStatement));
        cursorPosition += 3;
        return 0;
      }
      if (src.slice(cursorPosition, cursorPosition + 3) === "{{-") {
        stripTrailingWhitespace();
        tokens.push(new Token("{{", TOKEN_TYPES.OpenExpression));
        curlyBracketDepth = 0;
        cursorPosition += 3;
        return 0;
      }
      consumeWhile(isWhitespace);
      if (src.slice(cursorPosition, cursorPosition + 3) === "-%}") {
        tokens.push(new Token("%}", TOKEN_TYPES.CloseStatement));
        cursorPosition += 3;
        skipLeadingWhitespace();
        return 0;
      }
      if (src.slice(cursorPosition, cursorPosition + 3) === "-}}") {
        tokens.push(new Token("}}", TOKEN_TYPES.CloseExpression));
        cursorPosition += 3;
        skipLeadingWhitespace();
        return 0;
      }
      var char = src[cursorPosition];
      if (char === "-" || char === "+") {
        var _tokens$at2;
        var lastTokenType2 = (_tokens$at2 = tokens.at(-1)) === null || _tokens$at2 === void 0 ? void 0 : _tokens$at2.type;
        if (lastTokenType2 === TOKEN_TYPES.Text || lastTokenType2 === void 0) {
          throw new SyntaxError(`Unexpected character: ${char}`);
        }
        switch (lastTokenType2) {
          case TOKEN_TYPES.Identifier:
          case TOKEN_TYPES.NumericLiteral:
          case TOKEN_TYPES.StringLiteral:
          case TOKEN_TYPES.CloseParen:
          case TOKEN_TYPES.CloseSquareBracket:
            break;
          default:
            {
              ++cursorPosition;
              var num = consumeWhile(isInteger);
              if (num.length > 0 && src[cursorPosition] === "." && isInteger(src[cursorPosition + 1])) {
                ++cursorPosition;
                var frac = consumeWhile(isInteger);
                num = `${num}.${frac}`;
              }
              tokens.push(new Token(`${char}${num}`, num.length > 0 ? TOKEN_TYPES.NumericLiteral : TOKEN_TYPES.UnaryOperator));
              return 0;
            }
        }
      }
      var _iterator = _createForOfIteratorHelper(ORDERED_MAPPING_TABLE),
        _step;
      try {
        for (_iterator.s(); !(_step = _iterator.n()).done;) {
          var _step$value = _slicedToArray(_step.value, 2),
            seq = _step$value[0],
            type = _step$value[1];
          if (seq === "}}" && curlyBracketDepth > 0) {
            continue;
          }
          var slice2 = src.slice(cursorPosition, cursorPosition + seq.length);
          if (slice2 === seq) {
            tokens.push(new Token(seq, type));
            if (type === TOKEN_TYPES.OpenExpression) {
              curlyBracketDepth = 0;
            } else if (type === TOKEN_TYPES.OpenCurlyBracket) {
              ++curlyBracketDepth;
            } else if (type === TOKEN_TYPES.CloseCurlyBracket) {
              --curlyBracketDepth;
            }
            cursorPosition += seq.length;
            return 1;
          }
        }
      } catch (err) {
        _iterator.e(err);
      } finally {
        _iterator.f();
      }
      if (char === "'" || char === '"') {
        ++cursorPosition;
        var str = consumeWhile(c => c !== char);
        tokens.push(new Token(str, TOKEN_TYPES.StringLiteral));
        ++cursorPosition;
        return 0;
      }
      if (isInteger(char)) {
        var _tokens$at3;
        var _num = consumeWhile(isInteger);
        if (((_tokens$at3 = tokens.at(-1)) === null || _tokens$at3 === void 0 ? void 0 : _tokens$at3.type) !== TOKEN_TYPES.Dot && src[cursorPosition] === "." && isInteger(src[cursorPosition + 1])) {
          ++cursorPosition;
          var _frac = consumeWhile(isInteger);
          _num = `${_num}.${_frac}`;
        }
        tokens.push(new Token(_num, TOKEN_TYPES.NumericLiteral));
        return 0;
      }
      if (isWord(char)) {
        var word = consumeWhile(isWord);
        tokens.push(new Token(word, TOKEN_TYPES.Identifier));
        return 0;
      }
      throw new SyntaxError(`Unexpected character: ${char}`);
    },
    _ret;
  main: while (cursorPosition < src.length) {
    _ret = _loop();
    if (_ret === 0) continue;
    if (_ret === 1) continue main;
  }
  return tokens;
}
var Statement = _createClass(function Statement() {
  _classCallCheck(this, Statement);
  _defineProperty(this, "type", "Statement");
});
var Program = function (_Statement) {
  function Program(body) {
    var _this;
    _classCallCheck(this, Program);
    _this = _callSuper(this, Program);
    _defineProperty(_this, "type", "Program");
    _this.body = body;
    return _this;
  }
  _inherits(Program, _Statement);
  return _createClass(Program);
}(Statement);
var If = function (_Statement2) {
  function If(test, body, alternate) {
    var _this2;
    _classCallCheck(this, If);
    _this2 = _callSuper(this, If);
    _defineProperty(_this2, "type", "If");
    _this2.test = test;
    _this2.body = body;
    _this2.alternate = alternate;
    return _this2;
  }
  _inherits(If, _Statement2);
  return _createClass(If);
}(Statement);
var For = function (_Statement3) {
  function For(loopvar, iterable, body, defaultBlock) {
    var _this3;
    _classCallCheck(this, For);
    _this3 = _callSuper(this, For);
    _defineProperty(_this3, "type", "For");
    _this3.loopvar = loopvar;
    _this3.iterable = iterable;
    _this3.body = body;
    _this3.defaultBlock = defaultBlock;
    return _this3;
  }
  _inherits(For, _Statement3);
  return _createClass(For);
}(Statement);
var Break = function (_Statement4) {
  function Break() {
    var _this4;
    _classCallCheck(this, Break);
    for (var _len = arguments.length, args = new Array(_len), _key = 0; _key < _len; _key++) {
      args[_key] = arguments[_key];
    }
    _this4 = _callSuper(this, Break, [].concat(args));
    _defineProperty(_this4, "type", "Break");
    return _this4;
  }
  _inherits(Break, _Statement4);
  return _createClass(Break);
}(Statement);
var Continue = function (_Statement5) {
  function Continue() {
    var _this5;
    _classCallCheck(this, Continue);
    for (var _len2 = arguments.length, args = new Array(_len2), _key2 = 0; _key2 < _len2; _key2++) {
      args[_key2] = arguments[_key2];
    }
    _this5 = _callSuper(this, Continue, [].concat(args));
    _defineProperty(_this5, "type", "Continue");
    return _this5;
  }
  _inherits(Continue, _Statement5);
  return _createClass(Continue);
}(Statement);
var SetStatement = function (_Statement6) {
  function SetStatement(assignee, value, body) {
    var _this6;
    _classCallCheck(this, SetStatement);
    _this6 = _callSuper(this, SetStatement);
    _defineProperty(_this6, "type", "Set");
    _this6.assignee = assignee;
    _this6.value = value;
    _this6.body = body;
    return _this6;
  }
  _inherits(SetStatement, _Statement6);
  return _createClass(SetStatement);
}(Statement);
var Macro = function (_Statement7) {
  function Macro(name, args, body) {
    var _this7;
    _classCallCheck(this, Macro);
    _this7 = _callSuper(this, Macro);
    _defineProperty(_this7, "type", "Macro");
    _this7.name = name;
    _this7.args = args;
    _this7.body = body;
    return _this7;
  }
  _inherits(Macro, _Statement7);
  return _createClass(Macro);
}(Statement);
var Comment = function (_Statement8) {
  function Comment(value) {
    var _this8;
    _classCallCheck(this, Comment);
    _this8 = _callSuper(this, Comment);
    _defineProperty(_this8, "type", "Comment");
    _this8.value = value;
    return _this8;
  }
  _inherits(Comment, _Statement8);
  return _createClass(Comment);
}(Statement);
var Expression = function (_Statement9) {
  function Expression() {
    var _this9;
    _classCallCheck(this, Expression);
    for (var _len3 = arguments.length, args = new Array(_len3), _key3 = 0; _key3 < _len3; _key3++) {
      args[_key3] = arguments[_key3];
    }
    _this9 = _callSuper(this, Expression, [].concat(args));
    _defineProperty(_this9, "type", "Expression");
    return _this9;
  }
  _inherits(Expression, _Statement9);
  return _createClass(Expression);
}(Statement);
var MemberExpression = function (_Expression) {
  function MemberExpression(object, property, computed) {
    var _this0;
    _classCallCheck(this, MemberExpression);
    _this0 = _callSuper(this, MemberExpression);
    _defineProperty(_this0, "type", "MemberExpression");
    _this0.object = object;
    _this0.property = property;
    _this0.computed = computed;
    return _this0;
  }
  _inherits(MemberExpression, _Expression);
  return _createClass(MemberExpression);
}(Expression);
var CallExpression = function (_Expression2) {
  function CallExpression(callee, args) {
    var _this1;
    _classCallCheck(this, CallExpression);
    _this1 = _callSuper(this, CallExpression);
    _defineProperty(_this1, "type", "CallExpression");
    _this1.callee = callee;
    _this1.args = args;
    return _this1;
  }
  _inherits(CallExpression, _Expression2);
  return _createClass(CallExpression);
}(Expression);
var Identifier = function (_Expression3) {
  function Identifier(value) {
    var _this10;
    _classCallCheck(this, Identifier);
    _this10 = _callSuper(this, Identifier);
    _defineProperty(_this10, "type", "Identifier");
    _this10.value = value;
    return _this10;
  }
  _inherits(Identifier, _Expression3);
  return _createClass(Identifier);
}(Expression);
var Literal = function (_Expression4) {
  function Literal(value) {
    var _this11;
    _classCallCheck(this, Literal);
    _this11 = _callSuper(this, Literal);
    _defineProperty(_this11, "type", "Literal");
    _this11.value = value;
    return _this11;
  }
  _inherits(Literal, _Expression4);
  return _createClass(Literal);
}(Expression);
var IntegerLiteral = function (_Literal) {
  function IntegerLiteral() {
    var _this12;
    _classCallCheck(this, IntegerLiteral);
    for (var _len4 = arguments.length, args = new Array(_len4), _key4 = 0; _key4 < _len4; _key4++) {
      args[_key4] = arguments[_key4];
    }
    _this12 = _callSuper(this, IntegerLiteral, [].concat(args));
    _defineProperty(_this12, "type", "IntegerLiteral");
    return _this12;
  }
  _inherits(IntegerLiteral, _Literal);
  return _createClass(IntegerLiteral);
}(Literal);
var FloatLiteral = function (_Literal2) {
  function FloatLiteral() {
    var _this13;
    _classCallCheck(this, FloatLiteral);
    for (var _len5 = arguments.length, args = new Array(_len5), _key5 = 0; _key5 < _len5; _key5++) {
      args[_key5] = arguments[_key5];
    }
    _this13 = _callSuper(this, FloatLiteral, [].concat(args));
    _defineProperty(_this13, "type", "FloatLiteral");
    return _this13;
  }
  _inherits(FloatLiteral, _Literal2);
  return _createClass(FloatLiteral);
}(Literal);
var StringLiteral = function (_Literal3) {
  function StringLiteral() {
    var _this14;
    _classCallCheck(this, StringLiteral);
    for (var _len6 = arguments.length, args = new Array(_len6), _key6 = 0; _key6 < _len6; _key6++) {
      args[_key6] = arguments[_key6];
    }
    _this14 = _callSuper(this, StringLiteral, [].concat(args));
    _defineProperty(_this14, "type", "StringLiteral");
    return _this14;
  }
  _inherits(StringLiteral, _Literal3);
  return _createClass(StringLiteral);
}(Literal);
var ArrayLiteral = function (_Literal4) {
  function ArrayLiteral() {
    var _this15;
    _classCallCheck(this, ArrayLiteral);
    for (var _len7 = arguments.length, args = new Array(_len7), _key7 = 0; _key7 < _len7; _key7++) {
      args[_key7] = arguments[_key7];
    }
    _this15 = _callSuper(this, ArrayLiteral, [].concat(args));
    _defineProperty(_this15, "type", "ArrayLiteral");
    return _this15;
  }
  _inherits(ArrayLiteral, _Literal4);
  return _createClass(ArrayLiteral);
}(Literal);
var TupleLiteral = function (_Literal5) {
  function TupleLiteral() {
    var _this16;
    _classCallCheck(this, TupleLiteral);
    for (var _len8 = arguments.length, args = new Array(_len8), _key8 = 0; _key8 < _len8; _key8++) {
      args[_key8] = arguments[_key8];
    }
    _this16 = _callSuper(this, TupleLiteral, [].concat(args));
    _defineProperty(_this16, "type", "TupleLiteral");
    return _this16;
  }
  _inherits(TupleLiteral, _Literal5);
  return _createClass(TupleLiteral);
}(Literal);
var ObjectLiteral = function (_Literal6) {
  function ObjectLiteral() {
    var _this17;
    _classCallCheck(this, ObjectLiteral);
    for (var _len9 = arguments.length, args = new Array(_len9), _key9 = 0; _key9 < _len9; _key9++) {
      args[_key9] = arguments[_key9];
    }
    _this17 = _callSuper(this, ObjectLiteral, [].concat(args));
    _defineProperty(_this17, "type", "ObjectLiteral");
    return _this17;
  }
  _inherits(ObjectLiteral, _Literal6);
  return _createClass(ObjectLiteral);
}(Literal);
var BinaryExpression = function (_Expression5) {
  function BinaryExpression(operator, left, right) {
    var _this18;
    _classCallCheck(this, BinaryExpression);
    _this18 = _callSuper(this, BinaryExpression);
    _defineProperty(_this18, "type", "BinaryExpression");
    _this18.operator = operator;
    _this18.left = left;
    _this18.right = right;
    return _this18;
  }
  _inherits(BinaryExpression, _Expression5);
  return _createClass(BinaryExpression);
}(Expression);
var FilterExpression = function (_Expression6) {
  function FilterExpression(operand, filter) {
    var _this19;
    _classCallCheck(this, FilterExpression);
    _this19 = _callSuper(this, FilterExpression);
    _defineProperty(_this19, "type", "FilterExpression");
    _this19.operand = operand;
    _this19.filter = filter;
    return _this19;
  }
  _inherits(FilterExpression, _Expression6);
  return _createClass(FilterExpression);
}(Expression);
var FilterStatement = function (_Statement0) {
  function FilterStatement(filter, body) {
    var _this20;
    _classCallCheck(this, FilterStatement);
    _this20 = _callSuper(this, FilterStatement);
    _defineProperty(_this20, "type", "FilterStatement");
    _this20.filter = filter;
    _this20.body = body;
    return _this20;
  }
  _inherits(FilterStatement, _Statement0);
  return _createClass(FilterStatement);
}(Statement);
var SelectExpression = function (_Expression7) {
  function SelectExpression(lhs, test) {
    var _this21;
    _classCallCheck(this, SelectExpression);
    _this21 = _callSuper(this, SelectExpression);
    _defineProperty(_this21, "type", "SelectExpression");
    _this21.lhs = lhs;
    _this21.test = test;
    return _this21;
  }
  _inherits(SelectExpression, _Expression7);
  return _createClass(SelectExpression);
}(Expression);
var TestExpression = function (_Expression8) {
  function TestExpression(operand, negate, test) {
    var _this22;
    _classCallCheck(this, TestExpression);
    _this22 = _callSuper(this, TestExpression);
    _defineProperty(_this22, "type", "TestExpression");
    _this22.operand = operand;
    _this22.negate = negate;
    _this22.test = test;
    return _this22;
  }
  _inherits(TestExpression, _Expression8);
  return _createClass(TestExpression);
}(Expression);
var UnaryExpression = function (_Expression9) {
  function UnaryExpression(operator, argument) {
    var _this23;
    _classCallCheck(this, UnaryExpression);
    _this23 = _callSuper(this, UnaryExpression);
    _defineProperty(_this23, "type", "UnaryExpression");
    _this23.operator = operator;
    _this23.argument = argument;
    return _this23;
  }
  _inherits(UnaryExpression, _Expression9);
  return _createClass(UnaryExpression);
}(Expression);
var SliceExpression = function (_Expression0) {
  function SliceExpression() {
    var _this24;
    var start = arguments.length > 0 && arguments[0] !== undefined ? arguments[0] : void 0;
    var stop = arguments.length > 1 && arguments[1] !== undefined ? arguments[1] : void 0;
    var step = arguments.length > 2 && arguments[2] !== undefined ? arguments[2] : void 0;
    _classCallCheck(this, SliceExpression);
    _this24 = _callSuper(this, SliceExpression);
    _defineProperty(_this24, "type", "SliceExpression");
    _this24.start = start;
    _this24.stop = stop;
    _this24.step = step;
    return _this24;
  }
  _inherits(SliceExpression, _Expression0);
  return _createClass(SliceExpression);
}(Expression);
var KeywordArgumentExpression = function (_Expression1) {
  function KeywordArgumentExpression(key, value) {
    var _this25;
    _classCallCheck(this, KeywordArgumentExpression);
    _this25 = _callSuper(this, KeywordArgumentExpression);
    _defineProperty(_this25, "type", "KeywordArgumentExpression");
    _this25.key = key;
    _this25.value = value;
    return _this25;
  }
  _inherits(KeywordArgumentExpression, _Expression1);
  return _createClass(KeywordArgumentExpression);
}(Expression);
var SpreadExpression = function (_Expression10) {
  function SpreadExpression(argument) {
    var _this26;
    _classCallCheck(this, SpreadExpression);
    _this26 = _callSuper(this, SpreadExpression);
    _defineProperty(_this26, "type", "SpreadExpression");
    _this26.argument = argument;
    return _this26;
  }
  _inherits(SpreadExpression, _Expression10);
  return _createClass(SpreadExpression);
}(Expression);
var KeywordSpreadExpression = function (_Expression11) {
  function KeywordSpreadExpression(argument) {
    var _this27;
    _classCallCheck(this, KeywordSpreadExpression);
    _this27 = _callSuper(this, KeywordSpreadExpression);
    _defineProperty(_this27, "type", "KeywordSpreadExpression");
    _this27.argument = argument;
    return _this27;
  }
  _inherits(KeywordSpreadExpression, _Expression11);
  return _createClass(KeywordSpreadExpression);
}(Expression);
var CallStatement = function (_Statement1) {
  function CallStatement(call, callerArgs, body) {
    var _this28;
    _classCallCheck(this, CallStatement);
    _this28 = _callSuper(this, CallStatement);
    _defineProperty(_this28, "type", "CallStatement");
    _this28.call = call;
    _this28.callerArgs = callerArgs;
    _this28.body = body;
    return _this28;
  }
  _inherits(CallStatement, _Statement1);
  return _createClass(CallStatement);
}(Statement);
var Ternary = function (_Expression12) {
  function Ternary(condition, trueExpr, falseExpr) {
    var _this29;
    _classCallCheck(this, Ternary);
    _this29 = _callSuper(this, Ternary);
    _defineProperty(_this29, "type", "Ternary");
    _this29.condition = condition;
    _this29.trueExpr = trueExpr;
    _this29.falseExpr = falseExpr;
    return _this29;
  }
  _inherits(Ternary, _Expression12);
  return _createClass(Ternary);
}(Expression);
function parse(tokens) {
  var program = new Program([]);
  var current = 0;
  function expect(type, error) {
    var prev = tokens[current++];
    if (!prev || prev.type !== type) {
      throw new Error(`Parser Error: ${error}. ${prev.type} !== ${type}.`);
    }
    return prev;
  }
  function expectIdentifier(name) {
    if (!isIdentifier(name)) {
      throw new SyntaxError(`Expected ${name}`);
    }
    ++current;
  }
  function parseAny() {
    switch (tokens[current].type) {
      case TOKEN_TYPES.Comment:
        return new Comment(tokens[current++].value);
      case TOKEN_TYPES.Text:
        return parseText();
      case TOKEN_TYPES.OpenStatement:
        return parseJinjaStatement();
      case TOKEN_TYPES.OpenExpression:
        return parseJinjaExpression();
      default:
        throw new SyntaxError(`Unexpected token type: ${tokens[current].type}`);
    }
  }
  function is() {
    for (var _len0 = arguments.length, types = new Array(_len0), _key0 = 0; _key0 < _len0; _key0++) {
      types[_key0] = arguments[_key0];
    }
    return current + types.length <= tokens.length && types.every((type, i) => type === tokens[current + i].type);
  }
  function isStatement() {
    var _tokens$current, _tokens, _tokens2;
    for (var _len1 = arguments.length, names = new Array(_len1), _key1 = 0; _key1 < _len1; _key1++) {
      names[_key1] = arguments[_key1];
    }
    return ((_tokens$current = tokens[current]) === null || _tokens$current === void 0 ? void 0 : _tokens$current.type) === TOKEN_TYPES.OpenStatement && ((_tokens = tokens[current + 1]) === null || _tokens === void 0 ? void 0 : _tokens.type) === TOKEN_TYPES.Identifier && names.includes((_tokens2 = tokens[current + 1]) === null || _tokens2 === void 0 ? void 0 : _tokens2.value);
  }
  function isIdentifier() {
    for (var _len10 = arguments.length, names = new Array(_len10), _key10 = 0; _key10 < _len10; _key10++) {
      names[_key10] = arguments[_key10];
    }
    return current + names.length <= tokens.length && names.every((name, i) => tokens[current + i].type === "Identifier" && name === tokens[current + i].value);
  }
  function parseText() {
    return new StringLiteral(expect(TOKEN_TYPES.Text, "Expected text token").value);
  }
  function parseJinjaStatement() {
    expect(TOKEN_TYPES.OpenStatement, "Expected opening statement token");
    if (tokens[current].type !== TOKEN_TYPES.Identifier) {
      throw new SyntaxError(`Unknown statement, got ${tokens[current].type}`);
    }
    var name = tokens[current].value;
    var result;
    switch (name) {
      case "set":
        ++current;
        result = parseSetStatement();
        break;
      case "if":
        ++current;
        result = parseIfStatement();
        expect(TOKEN_TYPES.OpenStatement, "Expected {% token");
        expectIdentifier("endif");
        expect(TOKEN_TYPES.CloseStatement, "Expected %} token");
        break;
      case "macro":
        ++current;
        result = parseMacroStatement();
        expect(TOKEN_TYPES.OpenStatement, "Expected {% token");
        expectIdentifier("endmacro");
        expect(TOKEN_TYPES.CloseStatement, "Expected %} token");
        break;
      case "for":
        ++current;
        result = parseForStatement();
        expect(TOKEN_TYPES.OpenStatement, "Expected {% token");
        expectIdentifier("endfor");
        expect(TOKEN_TYPES.CloseStatement, "Expected %} token");
        break;
      case "call":
        {
          ++current;
          var callerArgs = null;
          if (is(TOKEN_TYPES.OpenParen)) {
            callerArgs = parseArgs("parameters");
          }
          var callee = parsePrimaryExpression();
          if (callee.type !== "Identifier") {
            throw new SyntaxError(`Expected identifier following call statement`);
          }
          var callArgs = parseArgs("call");
          expect(TOKEN_TYPES.CloseStatement, "Expected closing statement token");
          var body = [];
          while (!isStatement("endcall")) {
            body.push(parseAny());
          }
          expect(TOKEN_TYPES.OpenStatement, "Expected '{%'");
          expectIdentifier("endcall");
          expect(TOKEN_TYPES.CloseStatement, "Expected closing statement token");
          var callExpr = new CallExpression(callee, callArgs);
          result = new CallStatement(callExpr, callerArgs, body);
          break;
        }
      case "break":
        ++current;
        expect(TOKEN_TYPES.CloseStatement, "Expected closing statement token");
        result = new Break();
        break;
      case "continue":
        ++current;
        expect(TOKEN_TYPES.CloseStatement, "Expected closing statement token");
        result = new Continue();
        break;
      case "filter":
        {
          ++current;
          var filterNode = parsePrimaryExpression();
          if (filterNode instanceof Identifier && is(TOKEN_TYPES.OpenParen)) {
            filterNode = parseCallExpression(filterNode);
          }
          expect(TOKEN_TYPES.CloseStatement, "Expected closing statement token");
          var filterBody = [];
          while (!isStatement("endfilter")) {
            filterBody.push(parseAny());
          }
          expect(TOKEN_TYPES.OpenStatement, "Expected '{%'");
          expectIdentifier("endfilter");
          expect(TOKEN_TYPES.CloseStatement, "Expected '%}'");
          result = new FilterStatement(filterNode, filterBody);
          break;
        }
      default:
        throw new SyntaxError(`Unknown statement type: ${name}`);
    }
    return result;
  }
  function parseJinjaExpression() {
    expect(TOKEN_TYPES.OpenExpression, "Expected opening expression token");
    var result = parseExpression();
    expect(TOKEN_TYPES.CloseExpression, "Expected closing expression token");
    return result;
  }
  function parseSetStatement() {
    var left = parseExpressionSequence();
    var value = null;
    var body = [];
    if (is(TOKEN_TYPES.Equals)) {
      ++current;
      value = parseExpressionSequence();
    } else {
      expect(TOKEN_TYPES.CloseStatement, "Expected %} token");
      while (!isStatement("endset")) {
        body.push(parseAny());
      }
      expect(TOKEN_TYPES.OpenStatement, "Expected {% token");
      expectIdentifier("endset");
    }
    expect(TOKEN_TYPES.CloseStatement, "Expected closing statement token");
    return new SetStatement(left, value, body);
  }
  function parseIfStatement() {
    var test = parseExpression();
    expect(TOKEN_TYPES.CloseStatement, "Expected closing statement token");
    var body = [];
    var alternate = [];
    while (!isStatement("elif", "else", "endif")) {
      body.push(parseAny());
    }
    if (isStatement("elif")) {
      ++current;
      ++current;
      var result = parseIfStatement();
      alternate.push(result);
    } else if (isStatement("else")) {
      ++current;
      ++current;
      expect(TOKEN_TYPES.CloseStatement, "Expected closing statement token");
      while (!isStatement("endif")) {
        alternate.push(parseAny());
      }
    }
    return new If(test, body, alternate);
  }
  function parseMacroStatement() {
    var name = parsePrimaryExpression();
    if (name.type !== "Identifier") {
      throw new SyntaxError(`Expected identifier following macro statement`);
    }
    var args = parseArgs("parameters");
    expect(TOKEN_TYPES.CloseStatement, "Expected closing statement token");
    var body = [];
    while (!isStatement("endmacro")) {
      body.push(parseAny());
    }
    return new Macro(name, args, body);
  }
  function parseExpressionSequence() {
    var primary = arguments.length > 0 && arguments[0] !== undefined ? arguments[0] : false;
    var fn = primary ? parsePrimaryExpression : parseExpression;
    var expressions = [fn()];
    var isTuple = is(TOKEN_TYPES.Comma);
    while (isTuple) {
      ++current;
      expressions.push(fn());
      if (!is(TOKEN_TYPES.Comma)) {
        break;
      }
    }
    return isTuple ? new TupleLiteral(expressions) : expressions[0];
  }
  function parseForStatement() {
    var loopVariable = parseExpressionSequence(true);
    if (!(loopVariable instanceof Identifier || loopVariable instanceof TupleLiteral)) {
      throw new SyntaxError(`Expected identifier/tuple for the loop variable, got ${loopVariable.type} instead`);
    }
    if (!isIdentifier("in")) {
      throw new SyntaxError("Expected `in` keyword following loop variable");
    }
    ++current;
    var iterable = parseExpression();
    expect(TOKEN_TYPES.CloseStatement, "Expected closing statement token");
    var body = [];
    while (!isStatement("endfor", "else")) {
      body.push(parseAny());
    }
    var alternative = [];
    if (isStatement("else")) {
      ++current;
      ++current;
      expect(TOKEN_TYPES.CloseStatement, "Expected closing statement token");
      while (!isStatement("endfor")) {
        alternative.push(parseAny());
      }
    }
    return new For(loopVariable, iterable, body, alternative);
  }
  function parseExpression() {
    return parseIfExpression();
  }
  function parseIfExpression() {
    var a = parseLogicalOrExpression();
    if (isIdentifier("if")) {
      ++current;
      var test = parseLogicalOrExpression();
      if (isIdentifier("else")) {
        ++current;
        var falseExpr = parseIfExpression();
        return new Ternary(test, a, falseExpr);
      } else {
        return new SelectExpression(a, test);
      }
    }
    return a;
  }
  function parseLogicalOrExpression() {
    var left = parseLogicalAndExpression();
    while (isIdentifier("or")) {
      var operator = tokens[current];
      ++current;
      var right = parseLogicalAndExpression();
      left = new BinaryExpression(operator, left, right);
    }
    return left;
  }
  function parseLogicalAndExpression() {
    var left = parseLogicalNegationExpression();
    while (isIdentifier("and")) {
      var operator = tokens[current];
      ++current;
      var right = parseLogicalNegationExpression();
      left = new BinaryExpression(operator, left, right);
    }
    return left;
  }
  function parseLogicalNegationExpression() {
    var right;
    while (isIdentifier("not")) {
      var operator = tokens[current];
      ++current;
      var arg = parseLogicalNegationExpression();
      right = new UnaryExpression(operator, arg);
    }
    return right ?? parseComparisonExpression();
  }
  function parseComparisonExpression() {
    var left = parseAdditiveExpression();
    while (true) {
      var operator = void 0;
      if (isIdentifier("not", "in")) {
        operator = new Token("not in", TOKEN_TYPES.Identifier);
        current += 2;
      } else if (isIdentifier("in")) {
        operator = tokens[current++];
      } else if (is(TOKEN_TYPES.ComparisonBinaryOperator)) {
        operator = tokens[current++];
      } else {
        break;
      }
      var right = parseAdditiveExpression();
      left = new BinaryExpression(operator, left, right);
    }
    return left;
  }
  function parseAdditiveExpression() {
    var left = parseMultiplicativeExpression();
    while (is(TOKEN_TYPES.AdditiveBinaryOperator)) {
      var operator = tokens[current];
      ++current;
      var right = parseMultiplicativeExpression();
      left = new BinaryExpression(operator, left, right);
    }
    return left;
  }
  function parseCallMemberExpression() {
    var member = parseMemberExpression(parsePrimaryExpression());
    if (is(TOKEN_TYPES.OpenParen)) {
      return parseCallExpression(member);
    }
    return member;
  }
  function parseCallExpression(callee) {
    var expression = new CallExpression(callee, parseArgs("call"));
    expression = parseMemberExpression(expression);
    if (is(TOKEN_TYPES.OpenParen)) {
      expression = parseCallExpression(expression);
    }
    return expression;
  }
  function parseArgs(mode) {
    expect(TOKEN_TYPES.OpenParen, "Expected opening parenthesis for arguments list");
    var args = parseArgumentsList(mode);
    expect(TOKEN_TYPES.CloseParen, "Expected closing parenthesis for arguments list");
    return args;
  }
  function parseArgumentsList(mode) {
    var args = [];
    var parameterNames = new Set();
    var sawKeywordOrDefault = false;
    var sawSpreadArgument = false;
    while (!is(TOKEN_TYPES.CloseParen)) {
      var isKeywordSpread = is(TOKEN_TYPES.ExponentiationBinaryOperator);
      var isPositionalSpread = is(TOKEN_TYPES.MultiplicativeBinaryOperator) && tokens[current].value === "*";
      if (mode === "parameters" && (isKeywordSpread || isPositionalSpread)) {
        throw new SyntaxError("Argument unpacking is not allowed in parameter declarations");
      }
      if (isKeywordSpread) {
        ++current;
        args.push(new KeywordSpreadExpression(parseExpression()));
        if (is(TOKEN_TYPES.Comma)) {
          ++current;
        }
        if (!is(TOKEN_TYPES.CloseParen)) {
          throw new SyntaxError("Expected closing parenthesis: `**` must be applied to the final argument");
        }
        break;
      }
      var argument = void 0;
      if (isPositionalSpread) {
        if (sawSpreadArgument) {
          throw new SyntaxError("Only one `*` argument unpacking is allowed");
        }
        sawSpreadArgument = true;
        ++current;
        var expr = parseExpression();
        argument = new SpreadExpression(expr);
      } else {
        argument = parseExpression();
        if (is(TOKEN_TYPES.Equals)) {
          ++current;
          if (!(argument instanceof Identifier)) {
            throw new SyntaxError(mode === "parameters" ? "Expected identifier for parameter declaration" : "Expected identifier for keyword argument");
          }
          var value = parseExpression();
          argument = new KeywordArgumentExpression(argument, value);
        }
        if (mode === "parameters") {
          if (!(argument instanceof Identifier || argument instanceof KeywordArgumentExpression)) {
            throw new SyntaxError("Expected identifier for parameter declaration");
          }
          var parameterName = argument instanceof Identifier ? argument.value : argument.key.value;
          if (parameterNames.has(parameterName)) {
            throw new SyntaxError(`Duplicate parameter name: ${parameterName}`);
          }
          parameterNames.add(parameterName);
        }
        if (argument instanceof KeywordArgumentExpression) {
          sawKeywordOrDefault = true;
        } else if (sawKeywordOrDefault) {
          throw new SyntaxError(mode === "call" ? "Positional arguments must come before keyword arguments" : "Non-default argument follows default argument");
        } else if (sawSpreadArgument) {
          throw new SyntaxError("Positional arguments must not follow `*` argument unpacking");
        }
      }
      args.push(argument);
      if (is(TOKEN_TYPES.Comma)) {
        ++current;
      }
    }
    return args;
  }
  function parseMemberExpressionArgumentsList() {
    var slices = [];
    var isSlice = false;
    while (!is(TOKEN_TYPES.CloseSquareBracket)) {
      if (is(TOKEN_TYPES.Colon)) {
        slices.push(void 0);
        ++current;
        isSlice = true;
      } else {
        slices.push(parseExpression());
        if (is(TOKEN_TYPES.Colon)) {
          ++current;
          isSlice = true;
        }
      }
    }
    if (slices.length === 0) {
      throw new SyntaxError(`Expected at least one argument for member/slice expression`);
    }
    if (isSlice) {
      if (slices.length > 3) {
        throw new SyntaxError(`Expected 0-3 arguments for slice expression`);
      }
      return _construct(SliceExpression, slices);
    }
    return slices[0];
  }
  function parseMemberExpression(object) {
    while (is(TOKEN_TYPES.Dot) || is(TOKEN_TYPES.OpenSquareBracket)) {
      var operator = tokens[current];
      ++current;
      var property = void 0;
      var computed = operator.type === TOKEN_TYPES.OpenSquareBracket;
      if (computed) {
        property = parseMemberExpressionArgumentsList();
        expect(TOKEN_TYPES.CloseSquareBracket, "Expected closing square bracket");
      } else {
        property = parsePrimaryExpression();
        if (property.type !== "Identifier" && property.type !== "IntegerLiteral") {
          throw new SyntaxError(`Expected identifier or integer following dot operator`);
        }
      }
      object = new MemberExpression(object, property, computed);
    }
    return object;
  }
  function parseMultiplicativeExpression() {
    var left = parsePowerExpression();
    while (is(TOKEN_TYPES.MultiplicativeBinaryOperator)) {
      var operator = tokens[current++];
      var right = parsePowerExpression();
      left = new BinaryExpression(operator, left, right);
    }
    return left;
  }
  function parsePowerExpression() {
    var left = parseTestExpression();
    while (is(TOKEN_TYPES.ExponentiationBinaryOperator)) {
      var operator = tokens[current++];
      var right = parseTestExpression();
      left = new BinaryExpression(operator, left, right);
    }
    return left;
  }
  function parseTestExpression() {
    var operand = parseFilterExpression();
    while (isIdentifier("is")) {
      ++current;
      var negate = isIdentifier("not");
      if (negate) {
        ++current;
      }
      var filter = parsePrimaryExpression();
      if (!(filter instanceof Identifier)) {
        throw new SyntaxError(`Expected identifier for the test`);
      }
      operand = new TestExpression(operand, negate, filter);
    }
    return operand;
  }
  function parseFilterExpression() {
    var operand = parseUnarySignExpression();
    while (is(TOKEN_TYPES.Pipe)) {
      ++current;
      var filter = parsePrimaryExpression();
      if (!(filter instanceof Identifier)) {
        throw new SyntaxError(`Expected identifier for the filter`);
      }
      if (is(TOKEN_TYPES.OpenParen)) {
        filter = parseCallExpression(filter);
      }
      operand = new FilterExpression(operand, filter);
    }
    return operand;
  }
  function parseUnarySignExpression() {
    var token = tokens[current];
    if (token && (token.type === TOKEN_TYPES.UnaryOperator || token.type === TOKEN_TYPES.AdditiveBinaryOperator) && (token.value === "-" || token.value === "+")) {
      var operator = tokens[current++];
      var argument = parseUnarySignExpression();
      return new UnaryExpression(operator, argument);
    }
    return parseCallMemberExpression();
  }
  function parsePrimaryExpression() {
    var token = tokens[current++];
    switch (token.type) {
      case TOKEN_TYPES.NumericLiteral:
        {
          var num = token.value;
          return num.includes(".") ? new FloatLiteral(Number(num)) : new IntegerLiteral(Number(num));
        }
      case TOKEN_TYPES.StringLiteral:
        {
          var value = token.value;
          while (is(TOKEN_TYPES.StringLiteral)) {
            value += tokens[current++].value;
          }
          return new StringLiteral(value);
        }
      case TOKEN_TYPES.Identifier:
        return new Identifier(token.value);
      case TOKEN_TYPES.OpenParen:
        {
          var expression = parseExpressionSequence();
          expect(TOKEN_TYPES.CloseParen, "Expected closing parenthesis, got ${tokens[current].type} instead.");
          return expression;
        }
      case TOKEN_TYPES.OpenSquareBracket:
        {
          var values = [];
          while (!is(TOKEN_TYPES.CloseSquareBracket)) {
            values.push(parseExpression());
            if (is(TOKEN_TYPES.Comma)) {
              ++current;
            }
          }
          ++current;
          return new ArrayLiteral(values);
        }
      case TOKEN_TYPES.OpenCurlyBracket:
        {
          var _values = new Map();
          while (!is(TOKEN_TYPES.CloseCurlyBracket)) {
            var key = parseExpression();
            expect(TOKEN_TYPES.Colon, "Expected colon between key and value in object literal");
            var _value = parseExpression();
            _values.set(key, _value);
            if (is(TOKEN_TYPES.Comma)) {
              ++current;
            }
          }
          ++current;
          return new ObjectLiteral(_values);
        }
      default:
        throw new SyntaxError(`Unexpected token: ${token.type}`);
    }
  }
  while (current < tokens.length) {
    program.body.push(parseAny());
  }
  return program;
}
function range(start, stop) {
  var step = arguments.length > 2 && arguments[2] !== undefined ? arguments[2] : 1;
  if (stop === void 0) {
    stop = start;
    start = 0;
  }
  if (step === 0) {
    throw new Error("range() step must not be zero");
  }
  var result = [];
  if (step > 0) {
    for (var i = start; i < stop; i += step) {
      result.push(i);
    }
  } else {
    for (var _i = start; _i > stop; _i += step) {
      result.push(_i);
    }
  }
  return result;
}
function slice(array, start, stop) {
  var step = arguments.length > 3 && arguments[3] !== undefined ? arguments[3] : 1;
  var direction = Math.sign(step);
  if (direction >= 0) {
    start = (start ?? (start = 0)) < 0 ? Math.max(array.length + start, 0) : Math.min(start, array.length);
    stop = (stop ?? (stop = array.length)) < 0 ? Math.max(array.length + stop, 0) : Math.min(stop, array.length);
  } else {
    start = (start ?? (start = array.length - 1)) < 0 ? Math.max(array.length + start, -1) : Math.min(start, array.length - 1);
    stop = (stop ?? (stop = -1)) < -1 ? Math.max(array.length + stop, -1) : Math.min(stop, array.length - 1);
  }
  var result = [];
  for (var i = start; direction * i < direction * stop; i += step) {
    result.push(array[i]);
  }
  return result;
}
function titleCase(value) {
  return value.replace(/\b\w/g, c => c.toUpperCase());
}
function strftime_now(format2) {
  return strftime(new Date(), format2);
}
function strftime(date, format2) {
  var monthFormatterLong = new Intl.DateTimeFormat(void 0, {
    month: "long"
  });
  var monthFormatterShort = new Intl.DateTimeFormat(void 0, {
    month: "short"
  });
  var pad2 = n => n < 10 ? "0" + n : n.toString();
  return format2.replace(/%[YmdbBHM%]/g, token => {
    switch (token) {
      case "%Y":
        return date.getFullYear().toString();
      case "%m":
        return pad2(date.getMonth() + 1);
      case "%d":
        return pad2(date.getDate());
      case "%b":
        return monthFormatterShort.format(date);
      case "%B":
        return monthFormatterLong.format(date);
      case "%H":
        return pad2(date.getHours());
      case "%M":
        return pad2(date.getMinutes());
      case "%%":
        return "%";
      default:
        return token;
    }
  });
}
function escapeRegExp(s) {
  return s.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
function replace(str, oldvalue, newvalue, count) {
  if (count === 0) {
    return str;
  }
  var remaining = count == null || count < 0 ? Infinity : count;
  var pattern = oldvalue.length === 0 ? new RegExp("(?=)", "gu") : new RegExp(escapeRegExp(oldvalue), "gu");
  return str.replaceAll(pattern, match => {
    if (remaining > 0) {
      --remaining;
      return newvalue;
    }
    return match;
  });
}
var BreakControl = function (_Error) {
  function BreakControl() {
    _classCallCheck(this, BreakControl);
    return _callSuper(this, BreakControl, arguments);
  }
  _inherits(BreakControl, _Error);
  return _createClass(BreakControl);
}(_wrapNativeSuper(Error));
var ContinueControl = function (_Error2) {
  function ContinueControl() {
    _classCallCheck(this, ContinueControl);
    return _callSuper(this, ContinueControl, arguments);
  }
  _inherits(ContinueControl, _Error2);
  return _createClass(ContinueControl);
}(_wrapNativeSuper(Error));
var EMPTY_BUILTINS = new Map();
var RuntimeValue = function () {
  function RuntimeValue() {
    var value = arguments.length > 0 && arguments[0] !== undefined ? arguments[0] : void 0;
    _classCallCheck(this, RuntimeValue);
    _defineProperty(this, "type", "RuntimeValue");
    _defineProperty(this, "value", void 0);
    this.value = value;
  }
  return _createClass(RuntimeValue, [{
    key: "builtins",
    get: function get() {
      return EMPTY_BUILTINS;
    }
  }, {
    key: "__bool__",
    value: function __bool__() {
      return new BooleanValue(!!this.value);
    }
  }, {
    key: "toString",
    value: function toString() {
      return String(this.value);
    }
  }]);
}();
var IntegerValue = function (_RuntimeValue) {
  function IntegerValue() {
    var _this30;
    _classCallCheck(this, IntegerValue);
    for (var _len11 = arguments.length, args = new Array(_len11), _key11 = 0; _key11 < _len11; _key11++) {
      args[_key11] = arguments[_key11];
    }
    _this30 = _callSuper(this, IntegerValue, [].concat(args));
    _defineProperty(_this30, "type", "IntegerValue");
    return _this30;
  }
  _inherits(IntegerValue, _RuntimeValue);
  return _createClass(IntegerValue);
}(RuntimeValue);
var FloatValue = function (_RuntimeValue2) {
  function FloatValue() {
    var _this31;
    _classCallCheck(this, FloatValue);
    for (var _len12 = arguments.length, args = new Array(_len12), _key12 = 0; _key12 < _len12; _key12++) {
      args[_key12] = arguments[_key12];
    }
    _this31 = _callSuper(this, FloatValue, [].concat(args));
    _defineProperty(_this31, "type", "FloatValue");
    return _this31;
  }
  _inherits(FloatValue, _RuntimeValue2);
  return _createClass(FloatValue, [{
    key: "toString",
    value: function toString() {
      if (Object.is(this.value, -0)) {
        return "-0.0";
      }
      return this.value % 1 === 0 ? this.value.toFixed(1) : this.value.toString();
    }
  }]);
}(RuntimeValue);
var _StringValue = function (_RuntimeValue3) {
  function StringValue() {
    var _this32;
    _classCallCheck(this, StringValue);
    for (var _len13 = arguments.length, args = new Array(_len13), _key13 = 0; _key13 < _len13; _key13++) {
      args[_key13] = arguments[_key13];
    }
    _this32 = _callSuper(this, StringValue, [].concat(args));
    _defineProperty(_this32, "type", "StringValue");
    _defineProperty(_this32, "_builtins", void 0);
    return _this32;
  }
  _inherits(StringValue, _RuntimeValue3);
  return _createClass(StringValue, [{
    key: "builtins",
    get: function get() {
      return this._builtins ?? (this._builtins = new Map([["upper", new FunctionValue(() => {
        return new _StringValue(this.value.toUpperCase());
      })], ["lower", new FunctionValue(() => {
        return new _StringValue(this.value.toLowerCase());
      })], ["strip", new FunctionValue(() => {
        return new _StringValue(this.value.trim());
      })], ["title", new FunctionValue(() => {
        return new _StringValue(titleCase(this.value));
      })], ["capitalize", new FunctionValue(() => {
        return new _StringValue(this.value.charAt(0).toUpperCase() + this.value.slice(1));
      })], ["length", new IntegerValue(this.value.length)], ["rstrip", new FunctionValue(() => {
        return new _StringValue(this.value.trimEnd());
      })], ["lstrip", new FunctionValue(() => {
        return new _StringValue(this.value.trimStart());
      })], ["startswith", new FunctionValue(args => {
        if (args.length === 0) {
          throw new Error("startswith() requires at least one argument");
        }
        var pattern = args[0];
        if (pattern instanceof _StringValue) {
          return new BooleanValue(this.value.startsWith(pattern.value));
        } else if (pattern instanceof ArrayValue) {
          var _iterator2 = _createForOfIteratorHelper(pattern.value),
            _step2;
          try {
            for (_iterator2.s(); !(_step2 = _iterator2.n()).done;) {
              var item = _step2.value;
              if (!(item instanceof _StringValue)) {
                throw new Error("startswith() tuple elements must be strings");
              }
              if (this.value.startsWith(item.value)) {
                return new BooleanValue(true);
              }
            }
          } catch (err) {
            _iterator2.e(err);
          } finally {
            _iterator2.f();
          }
          return new BooleanValue(false);
        }
        throw new Error("startswith() argument must be a string or tuple of strings");
      })], ["endswith", new FunctionValue(args => {
        if (args.length === 0) {
          throw new Error("endswith() requires at least one argument");
        }
        var pattern = args[0];
        if (pattern instanceof _StringValue) {
          return new BooleanValue(this.value.endsWith(pattern.value));
        } else if (pattern instanceof ArrayValue) {
          var _iterator3 = _createForOfIteratorHelper(pattern.value),
            _step3;
          try {
            for (_iterator3.s(); !(_step3 = _iterator3.n()).done;) {
              var item = _step3.value;
              if (!(item instanceof _StringValue)) {
                throw new Error("endswith() tuple elements must be strings");
              }
              if (this.value.endsWith(item.value)) {
                return new BooleanValue(true);
              }
            }
          } catch (err) {
            _iterator3.e(err);
          } finally {
            _iterator3.f();
          }
          return new BooleanValue(false);
        }
        throw new Error("endswith() argument must be a string or tuple of strings");
      })], ["split", new FunctionValue(args => {
        var sep = args[0] ?? new NullValue();
        if (!(sep instanceof _StringValue || sep instanceof NullValue)) {
          throw new Error("sep argument must be a string or null");
        }
        var maxsplit = args[1] ?? new IntegerValue(-1);
        if (!(maxsplit instanceof IntegerValue)) {
          throw new Error("maxsplit argument must be a number");
        }
        var result = [];
        if (sep instanceof NullValue) {
          var text = this.value.trimStart();
          var _iterator4 = _createForOfIteratorHelper(text.matchAll(/\S+/g)),
            _step4;
          try {
            for (_iterator4.s(); !(_step4 = _iterator4.n()).done;) {
              var _step4$value = _step4.value,
                match = _step4$value[0],
                index = _step4$value.index;
              if (maxsplit.value !== -1 && result.length >= maxsplit.value && index !== void 0) {
                result.push(match + text.slice(index + match.length));
                break;
              }
              result.push(match);
            }
          } catch (err) {
            _iterator4.e(err);
          } finally {
            _iterator4.f();
          }
        } else {
          if (sep.value === "") {
            throw new Error("empty separator");
          }
          result = this.value.split(sep.value);
          if (maxsplit.value !== -1 && result.length > maxsplit.value) {
            result.push(result.splice(maxsplit.value).join(sep.value));
          }
        }
        return new ArrayValue(result.map(part => new _StringValue(part)));
      })], ["replace", new FunctionValue(args => {
        if (args.length < 2) {
          throw new Error("replace() requires at least two arguments");
        }
        var oldValue = args[0];
        var newValue = args[1];
        if (!(oldValue instanceof _StringValue && newValue instanceof _StringValue)) {
          throw new Error("replace() arguments must be strings");
        }
        var count;
        if (args.length > 2) {
          if (args[2].type === "KeywordArgumentsValue") {
            count = args[2].value.get("count") ?? new NullValue();
          } else {
            count = args[2];
          }
        } else {
          count = new NullValue();
        }
        if (!(count instanceof IntegerValue || count instanceof NullValue)) {
          throw new Error("replace() count argument must be a number or null");
        }
        return new _StringValue(replace(this.value, oldValue.value, newValue.value, count.value));
      })]]));
    }
  }]);
}(RuntimeValue);
var BooleanValue = function (_RuntimeValue4) {
  function BooleanValue() {
    var _this33;
    _classCallCheck(this, BooleanValue);
    for (var _len14 = arguments.length, args = new Array(_len14), _key14 = 0; _key14 < _len14; _key14++) {
      args[_key14] = arguments[_key14];
    }
    _this33 = _callSuper(this, BooleanValue, [].concat(args));
    _defineProperty(_this33, "type", "BooleanValue");
    return _this33;
  }
  _inherits(BooleanValue, _RuntimeValue4);
  return _createClass(BooleanValue);
}(RuntimeValue);
var NON_ASCII_CHARS = /[\x7f-\uffff]/g;
function makeAsciiSafe(str) {
  return str.replace(NON_ASCII_CHARS, char => "\\u" + char.charCodeAt(0).toString(16).padStart(4, "0"));
}
function toJSON(input) {
  var options = arguments.length > 1 && arguments[1] !== undefined ? arguments[1] : {};
  var depth = arguments.length > 2 && arguments[2] !== undefined ? arguments[2] : 0;
  var convertUndefinedToNull = arguments.length > 3 && arguments[3] !== undefined ? arguments[3] : true;
  var _options$indent = options.indent,
    indent = _options$indent === void 0 ? null : _options$indent,
    _options$ensureAscii = options.ensureAscii,
    ensureAscii = _options$ensureAscii === void 0 ? false : _options$ensureAscii,
    _options$separators = options.separators,
    separators = _options$separators === void 0 ? null : _options$separators,
    _options$sortKeys = options.sortKeys,
    sortKeys = _options$sortKeys === void 0 ? false : _options$sortKeys;
  var itemSeparator;
  var keySeparator;
  if (separators) {
    var _separators = _slicedToArray(separators, 2);
    itemSeparator = _separators[0];
    keySeparator = _separators[1];
  } else if (indent) {
    itemSeparator = ",";
    keySeparator = ": ";
  } else {
    itemSeparator = ", ";
    keySeparator = ": ";
  }
  switch (input.type) {
    case "NullValue":
      return "null";
    case "UndefinedValue":
      return convertUndefinedToNull ? "null" : "undefined";
    case "IntegerValue":
    case "FloatValue":
    case "BooleanValue":
      return JSON.stringify(input.value);
    case "StringValue":
      {
        var result = JSON.stringify(input.value);
        if (ensureAscii) {
          result = makeAsciiSafe(result);
        }
        return result;
      }
    case "ArrayValue":
    case "NamespaceValue":
    case "ObjectValue":
      {
        var indentValue = indent ? " ".repeat(indent) : "";
        var basePadding = "\n" + indentValue.repeat(depth);
        var childrenPadding = basePadding + indentValue;
        if (input.type === "ArrayValue") {
          var core = input.value.map(x => toJSON(x, options, depth + 1, convertUndefinedToNull));
          return indent && core.length > 0 ? `[${childrenPadding}${core.join(`${itemSeparator}${childrenPadding}`)}${basePadding}]` : `[${core.join(itemSeparator)}]`;
        } else {
          var entries = Array.from(input.value.entries());
          if (sortKeys) {
            entries = entries.sort((_ref, _ref2) => {
              var _ref3 = _slicedToArray(_ref, 1),
                a = _ref3[0];
              var _ref4 = _slicedToArray(_ref2, 1),
                b = _ref4[0];
              return a.localeCompare(b);
            });
          }
          var _core = entries.map(_ref5 => {
            var _ref6 = _slicedToArray(_ref5, 2),
              key = _ref6[0],
              value = _ref6[1];
            var keyStr = JSON.stringify(key);
            if (ensureAscii) {
              keyStr = makeAsciiSafe(keyStr);
            }
            var v = `${keyStr}${keySeparator}${toJSON(value, options, depth + 1, convertUndefinedToNull)}`;
            return indent ? `${childrenPadding}${v}` : v;
          });
          return indent && _core.length > 0 ? `{${_core.join(itemSeparator)}${basePadding}}` : `{${_core.join(itemSeparator)}}`;
        }
      }
    default:
      throw new Error(`Cannot convert to JSON: ${input.type}`);
  }
}
var ObjectValue = function (_RuntimeValue5) {
  function ObjectValue() {
    var _this34;
    _classCallCheck(this, ObjectValue);
    for (var _len15 = arguments.length, args = new Array(_len15), _key15 = 0; _key15 < _len15; _key15++) {
      args[_key15] = arguments[_key15];
    }
    _this34 = _callSuper(this, ObjectValue, [].concat(args));
    _defineProperty(_this34, "type", "ObjectValue");
    _defineProperty(_this34, "_builtins", void 0);
    return _this34;
  }
  _inherits(ObjectValue, _RuntimeValue5);
  return _createClass(ObjectValue, [{
    key: "__bool__",
    value: function __bool__() {
      return new BooleanValue(this.value.size > 0);
    }
  }, {
    key: "builtins",
    get: function get() {
      return this._builtins ?? (this._builtins = new Map([["get", new FunctionValue(_ref7 => {
        var _ref8 = _slicedToArray(_ref7, 2),
          key = _ref8[0],
          defaultValue = _ref8[1];
        if (!(key instanceof _StringValue)) {
          throw new Error(`Object key must be a string: got ${key.type}`);
        }
        return this.value.get(key.value) ?? defaultValue ?? new NullValue();
      })], ["items", new FunctionValue(() => this.items())], ["keys", new FunctionValue(() => this.keys())], ["values", new FunctionValue(() => this.values())], ["dictsort", new FunctionValue(args => {
        var kwargs = new Map();
        var positionalArgs = args.filter(arg => {
          if (arg instanceof KeywordArgumentsValue) {
            kwargs = arg.value;
            return false;
          }
          return true;
        });
        var caseSensitive = positionalArgs.at(0) ?? kwargs.get("case_sensitive") ?? new BooleanValue(false);
        if (!(caseSensitive instanceof BooleanValue)) {
          throw new Error("case_sensitive must be a boolean");
        }
        var by = positionalArgs.at(1) ?? kwargs.get("by") ?? new _StringValue("key");
        if (!(by instanceof _StringValue)) {
          throw new Error("by must be a string");
        }
        if (!["key", "value"].includes(by.value)) {
          throw new Error("by must be either 'key' or 'value'");
        }
        var reverse = positionalArgs.at(2) ?? kwargs.get("reverse") ?? new BooleanValue(false);
        if (!(reverse instanceof BooleanValue)) {
          throw new Error("reverse must be a boolean");
        }
        var items = Array.from(this.value.entries()).map(_ref9 => {
          var _ref0 = _slicedToArray(_ref9, 2),
            key = _ref0[0],
            value = _ref0[1];
          return new ArrayValue([new _StringValue(key), value]);
        }).sort((a, b) => {
          var index = by.value === "key" ? 0 : 1;
          var aVal = a.value[index];
          var bVal = b.value[index];
          var result = compareRuntimeValues(aVal, bVal, caseSensitive.value);
          return reverse.value ? -result : result;
        });
        return new ArrayValue(items);
      })]]));
    }
  }, {
    key: "items",
    value: function items() {
      return new ArrayValue(Array.from(this.value.entries()).map(_ref1 => {
        var _ref10 = _slicedToArray(_ref1, 2),
          key = _ref10[0],
          value = _ref10[1];
        return new ArrayValue([new _StringValue(key), value]);
      }));
    }
  }, {
    key: "keys",
    value: function keys() {
      return new ArrayValue(Array.from(this.value.keys()).map(key => new _StringValue(key)));
    }
  }, {
    key: "values",
    value: function values() {
      return new ArrayValue(Array.from(this.value.values()));
    }
  }, {
    key: "toString",
    value: function toString() {
      return toJSON(this, {}, 0, false);
    }
  }]);
}(RuntimeValue);
var KeywordArgumentsValue = function (_ObjectValue) {
  function KeywordArgumentsValue() {
    var _this35;
    _classCallCheck(this, KeywordArgumentsValue);
    for (var _len16 = arguments.length, args = new Array(_len16), _key16 = 0; _key16 < _len16; _key16++) {
      args[_key16] = arguments[_key16];
    }
    _this35 = _callSuper(this, KeywordArgumentsValue, [].concat(args));
    _defineProperty(_this35, "type", "KeywordArgumentsValue");
    return _this35;
  }
  _inherits(KeywordArgumentsValue, _ObjectValue);
  return _createClass(KeywordArgumentsValue);
}(ObjectValue);
var NamespaceValue = function (_RuntimeValue6) {
  function NamespaceValue() {
    var _this36;
    _classCallCheck(this, NamespaceValue);
    for (var _len17 = arguments.length, args = new Array(_len17), _key17 = 0; _key17 < _len17; _key17++) {
      args[_key17] = arguments[_key17];
    }
    _this36 = _callSuper(this, NamespaceValue, [].concat(args));
    _defineProperty(_this36, "type", "NamespaceValue");
    return _this36;
  }
  _inherits(NamespaceValue, _RuntimeValue6);
  return _createClass(NamespaceValue, [{
    key: "toString",
    value: function toString() {
      return toJSON(this, {}, 0, false);
    }
  }]);
}(RuntimeValue);
var ArrayValue = function (_RuntimeValue7) {
  function ArrayValue() {
    var _this37;
    _classCallCheck(this, ArrayValue);
    for (var _len18 = arguments.length, args = new Array(_len18), _key18 = 0; _key18 < _len18; _key18++) {
      args[_key18] = arguments[_key18];
    }
    _this37 = _callSuper(this, ArrayValue, [].concat(args));
    _defineProperty(_this37, "type", "ArrayValue");
    _defineProperty(_this37, "_builtins", void 0);
    return _this37;
  }
  _inherits(ArrayValue, _RuntimeValue7);
  return _createClass(ArrayValue, [{
    key: "builtins",
    get: function get() {
      return this._builtins ?? (this._builtins = new Map([["length", new IntegerValue(this.value.length)]]));
    }
  }, {
    key: "__bool__",
    value: function __bool__() {
      return new BooleanValue(this.value.length > 0);
    }
  }, {
    key: "toString",
    value: function toString() {
      return toJSON(this, {}, 0, false);
    }
  }]);
}(RuntimeValue);
var TupleValue = function (_ArrayValue) {
  function TupleValue() {
    var _this38;
    _classCallCheck(this, TupleValue);
    for (var _len19 = arguments.length, args = new Array(_len19), _key19 = 0; _key19 < _len19; _key19++) {
      args[_key19] = arguments[_key19];
    }
    _this38 = _callSuper(this, TupleValue, [].concat(args));
    _defineProperty(_this38, "type", "TupleValue");
    return _this38;
  }
  _inherits(TupleValue, _ArrayValue);
  return _createClass(TupleValue);
}(ArrayValue);
var FunctionValue = function (_RuntimeValue8) {
  function FunctionValue() {
    var _this39;
    _classCallCheck(this, FunctionValue);
    for (var _len20 = arguments.length, args = new Array(_len20), _key20 = 0; _key20 < _len20; _key20++) {
      args[_key20] = arguments[_key20];
    }
    _this39 = _callSuper(this, FunctionValue, [].concat(args));
    _defineProperty(_this39, "type", "FunctionValue");
    return _this39;
  }
  _inherits(FunctionValue, _RuntimeValue8);
  return _createClass(FunctionValue);
}(RuntimeValue);
var NullValue = function (_RuntimeValue9) {
  function NullValue() {
    var _this40;
    _classCallCheck(this, NullValue);
    for (var _len21 = arguments.length, args = new Array(_len21), _key21 = 0; _key21 < _len21; _key21++) {
      args[_key21] = arguments[_key21];
    }
    _this40 = _callSuper(this, NullValue, [].concat(args));
    _defineProperty(_this40, "type", "NullValue");
    return _this40;
  }
  _inherits(NullValue, _RuntimeValue9);
  return _createClass(NullValue);
}(RuntimeValue);
var UndefinedValue = function (_RuntimeValue0) {
  function UndefinedValue() {
    var _this41;
    _classCallCheck(this, UndefinedValue);
    for (var _len22 = arguments.length, args = new Array(_len22), _key22 = 0; _key22 < _len22; _key22++) {
      args[_key22] = arguments[_key22];
    }
    _this41 = _callSuper(this, UndefinedValue, [].concat(args));
    _defineProperty(_this41, "type", "UndefinedValue");
    return _this41;
  }
  _inherits(UndefinedValue, _RuntimeValue0);
  return _createClass(UndefinedValue);
}(RuntimeValue);
function normalizeNamespaceEntry(pair) {
  var values;
  if (pair instanceof ArrayValue) {
    values = pair.value;
  } else if (pair instanceof _StringValue) {
    values = Array.from(pair.value, char => new _StringValue(char));
  }
  if (!values || values.length !== 2) {
    throw new Error("namespace expected an object or an iterable of [key, value] pairs");
  }
  var _values2 = values,
    _values3 = _slicedToArray(_values2, 2),
    key = _values3[0],
    value = _values3[1];
  if (!(key instanceof _StringValue)) {
    throw new Error("namespace keys must be strings");
  }
  return [key, value];
}
var _Environment2 = function () {
  function _Environment(parent) {
    _classCallCheck(this, _Environment);
    _defineProperty(this, "variables", new Map([["namespace", new FunctionValue(args => {
      var positional = args.slice();
      var kwargs;
      if (positional.at(-1) instanceof KeywordArgumentsValue) {
        kwargs = positional.pop();
      }
      if (positional.length > 1) {
        throw new Error(`namespace expected at most 1 argument, got ${positional.length}`);
      }
      var entries = new Map();
      if (positional.length === 1) {
        var source = positional[0];
        if (source instanceof ObjectValue) {
          var _iterator5 = _createForOfIteratorHelper(source.value),
            _step5;
          try {
            for (_iterator5.s(); !(_step5 = _iterator5.n()).done;) {
              var _step5$value = _slicedToArray(_step5.value, 2),
                key = _step5$value[0],
                value = _step5$value[1];
              entries.set(key, value);
            }
          } catch (err) {
            _iterator5.e(err);
          } finally {
            _iterator5.f();
          }
        } else if (source instanceof ArrayValue) {
          var _iterator6 = _createForOfIteratorHelper(source.value),
            _step6;
          try {
            for (_iterator6.s(); !(_step6 = _iterator6.n()).done;) {
              var pair = _step6.value;
              var _normalizeNamespaceEn = normalizeNamespaceEntry(pair),
                _normalizeNamespaceEn2 = _slicedToArray(_normalizeNamespaceEn, 2),
                _key23 = _normalizeNamespaceEn2[0],
                _value2 = _normalizeNamespaceEn2[1];
              entries.set(_key23.value, _value2);
            }
          } catch (err) {
            _iterator6.e(err);
          } finally {
            _iterator6.f();
          }
        } else {
          throw new Error(`'${source.type}' object is not iterable`);
        }
      }
      if (kwargs) {
        var _iterator7 = _createForOfIteratorHelper(kwargs.value),
          _step7;
        try {
          for (_iterator7.s(); !(_step7 = _iterator7.n()).done;) {
            var _step7$value = _slicedToArray(_step7.value, 2),
              _key24 = _step7$value[0],
              _value3 = _step7$value[1];
            entries.set(_key24, _value3);
          }
        } catch (err) {
          _iterator7.e(err);
        } finally {
          _iterator7.f();
        }
      }
      return new NamespaceValue(entries);
    })]]));
    _defineProperty(this, "tests", _Environment2.TESTS);
    this.parent = parent;
  }
  return _createClass(_Environment, [{
    key: "set",
    value: function set(name, value) {
      return this.declareVariable(name, convertToRuntimeValues(value));
    }
  }, {
    key: "declareVariable",
    value: function declareVariable(name, value) {
      if (this.variables.has(name)) {
        throw new SyntaxError(`Variable already declared: ${name}`);
      }
      this.variables.set(name, value);
      return value;
    }
  }, {
    key: "setVariable",
    value: function setVariable(name, value) {
      this.variables.set(name, value);
      return value;
    }
  }, {
    key: "resolve",
    value: function resolve(name) {
      if (this.variables.has(name)) {
        return this;
      }
      if (this.parent) {
        return this.parent.resolve(name);
      }
      throw new Error(`Unknown variable: ${name}`);
    }
  }, {
    key: "lookupVariable",
    value: function lookupVariable(name) {
      try {
        return this.resolve(name).variables.get(name) ?? new UndefinedValue();
      } catch (_unused) {
        return new UndefinedValue();
      }
    }
  }]);
}();
var Environment = exports.Environment = _Environment2;
__publicField(Environment, "TESTS", new Map([["boolean", operand => operand.type === "BooleanValue"], ["callable", operand => operand instanceof FunctionValue], ["odd", operand => {
  if (!(operand instanceof IntegerValue)) {
    throw new Error(`cannot odd on ${operand.type}`);
  }
  return operand.value % 2 !== 0;
}], ["even", operand => {
  if (!(operand instanceof IntegerValue)) {
    throw new Error(`cannot even on ${operand.type}`);
  }
  return operand.value % 2 === 0;
}], ["false", operand => operand.type === "BooleanValue" && !operand.value], ["true", operand => operand.type === "BooleanValue" && operand.value], ["none", operand => operand.type === "NullValue"], ["string", operand => operand.type === "StringValue"], ["number", operand => operand instanceof IntegerValue || operand instanceof FloatValue], ["integer", operand => operand instanceof IntegerValue], ["iterable", operand => operand.type === "ArrayValue" || operand.type === "StringValue"], ["mapping", operand => operand instanceof ObjectValue], ["sequence", operand => operand instanceof ArrayValue || operand instanceof ObjectValue || operand instanceof _StringValue], ["lower", operand => {
  var str = operand.value;
  return operand.type === "StringValue" && str === str.toLowerCase();
}], ["upper", operand => {
  var str = operand.value;
  return operand.type === "StringValue" && str === str.toUpperCase();
}], ["none", operand => operand.type === "NullValue"], ["defined", operand => operand.type !== "UndefinedValue"], ["undefined", operand => operand.type === "UndefinedValue"], ["equalto", (a, b) => a.value === b.value], ["eq", (a, b) => a.value === b.value]]));
function setupGlobals(env) {
  env.set("false", false);
  env.set("true", true);
  env.set("none", null);
  env.set("raise_exception", args => {
    throw new Error(args);
  });
  env.set("range", range);
  env.set("strftime_now", strftime_now);
  env.set("True", true);
  env.set("False", false);
  env.set("None", null);
}
function isAttributeContainer(value) {
  return value instanceof ObjectValue || value instanceof NamespaceValue;
}
function isNumericLikeValue(value) {
  return value instanceof IntegerValue || value instanceof FloatValue || value instanceof BooleanValue;
}
function getNumericValue(value) {
  return value instanceof BooleanValue ? Number(value.value) : value.value;
}
function getAttributeValue(item, attributePath) {
  var parts = attributePath.split(".");
  var value = item;
  var _iterator8 = _createForOfIteratorHelper(parts),
    _step8;
  try {
    for (_iterator8.s(); !(_step8 = _iterator8.n()).done;) {
      var part = _step8.value;
      if (isAttributeContainer(value)) {
        value = value.value.get(part) ?? new UndefinedValue();
      } else if (value instanceof ArrayValue) {
        var index = parseInt(part, 10);
        if (!isNaN(index) && index >= 0 && index < value.value.length) {
          value = value.value[index];
        } else {
          return new UndefinedValue();
        }
      } else {
        return new UndefinedValue();
      }
    }
  } catch (err) {
    _iterator8.e(err);
  } finally {
    _iterator8.f();
  }
  return value;
}
function compareRuntimeValues(a, b) {
  var caseSensitive = arguments.length > 2 && arguments[2] !== undefined ? arguments[2] : false;
  if (a instanceof NullValue && b instanceof NullValue) {
    return 0;
  }
  if (a instanceof NullValue || b instanceof NullValue) {
    throw new Error(`Cannot compare ${a.type} with ${b.type}`);
  }
  if (a instanceof UndefinedValue && b instanceof UndefinedValue) {
    return 0;
  }
  if (a instanceof UndefinedValue || b instanceof UndefinedValue) {
    throw new Error(`Cannot compare ${a.type} with ${b.type}`);
  }
  if (isNumericLikeValue(a) && isNumericLikeValue(b)) {
    var aNum = getNumericValue(a);
    var bNum = getNumericValue(b);
    return aNum < bNum ? -1 : aNum > bNum ? 1 : 0;
  }
  if (a.type !== b.type) {
    throw new Error(`Cannot compare different types: ${a.type} and ${b.type}`);
  }
  switch (a.type) {
    case "StringValue":
      {
        var aStr = a.value;
        var bStr = b.value;
        if (!caseSensitive) {
          aStr = aStr.toLowerCase();
          bStr = bStr.toLowerCase();
        }
        return aStr < bStr ? -1 : aStr > bStr ? 1 : 0;
      }
    default:
      throw new Error(`Cannot compare type: ${a.type}`);
  }
}
function getParameterDescriptor(argument) {
  if (argument.type === "Identifier") {
    return {
      name: argument.value
    };
  }
  var keywordArgument = argument;
  return {
    name: keywordArgument.key.value,
    defaultValue: keywordArgument.value
  };
}
function isSpecialMacroArgument(name) {
  return name === "kwargs" || name === "varargs";
}
function findAccessedSpecialMacroArguments(parameters, body) {
  var declared = new Set();
  var accessed = new Set();
  var declareName = name => {
    if (isSpecialMacroArgument(name)) {
      declared.add(name);
    }
  };
  var declareTarget = target => {
    if (target.type === "Identifier") {
      declareName(target.value);
    } else if (target.type === "TupleLiteral") {
      var _iterator9 = _createForOfIteratorHelper(target.value),
        _step9;
      try {
        for (_iterator9.s(); !(_step9 = _iterator9.n()).done;) {
          var item = _step9.value;
          declareTarget(item);
        }
      } catch (err) {
        _iterator9.e(err);
      } finally {
        _iterator9.f();
      }
    }
  };
  var declareArgument = argument => {
    declareName(getParameterDescriptor(argument).name);
  };
  var visitArgumentDefaults = args => {
    var _iterator0 = _createForOfIteratorHelper(args),
      _step0;
    try {
      for (_iterator0.s(); !(_step0 = _iterator0.n()).done;) {
        var argument = _step0.value;
        var parameter = getParameterDescriptor(argument);
        if (parameter.defaultValue) {
          visit(parameter.defaultValue);
        }
      }
    } catch (err) {
      _iterator0.e(err);
    } finally {
      _iterator0.f();
    }
  };
  var visitFilter = filter => {
    if (filter.type === "CallExpression") {
      visit(filter.args);
    }
  };
  var visit = node => {
    if (Array.isArray(node)) {
      var _iterator1 = _createForOfIteratorHelper(node),
        _step1;
      try {
        for (_iterator1.s(); !(_step1 = _iterator1.n()).done;) {
          var item = _step1.value;
          visit(item);
        }
      } catch (err) {
        _iterator1.e(err);
      } finally {
        _iterator1.f();
      }
      return;
    }
    if (node instanceof Map) {
      var _iterator10 = _createForOfIteratorHelper(node),
        _step10;
      try {
        for (_iterator10.s(); !(_step10 = _iterator10.n()).done;) {
          var _step10$value = _slicedToArray(_step10.value, 2),
            key = _step10$value[0],
            value = _step10$value[1];
          visit(key);
          visit(value);
        }
      } catch (err) {
        _iterator10.e(err);
      } finally {
        _iterator10.f();
      }
      return;
    }
    if (!(node instanceof Statement)) {
      return;
    }
    switch (node.type) {
      case "For":
        {
          var statement = node;
          declareTarget(statement.loopvar);
          if (statement.iterable.type === "SelectExpression") {
            var iterable = statement.iterable;
            visit(iterable.lhs);
            visit(statement.body);
            visit(statement.defaultBlock);
            visit(iterable.test);
            return;
          }
          visit(statement.iterable);
          visit(statement.body);
          visit(statement.defaultBlock);
          return;
        }
      case "Set":
        {
          var _statement = node;
          declareTarget(_statement.assignee);
          visit(_statement.value);
          visit(_statement.body);
          return;
        }
      case "Macro":
        {
          var _statement2 = node;
          var _iterator11 = _createForOfIteratorHelper(_statement2.args),
            _step11;
          try {
            for (_iterator11.s(); !(_step11 = _iterator11.n()).done;) {
              var argument = _step11.value;
              declareArgument(argument);
            }
          } catch (err) {
            _iterator11.e(err);
          } finally {
            _iterator11.f();
          }
          visitArgumentDefaults(_statement2.args);
          visit(_statement2.body);
          return;
        }
      case "CallStatement":
        {
          var _statement3 = node;
          visit(_statement3.call);
          var _iterator12 = _createForOfIteratorHelper(_statement3.callerArgs ?? []),
            _step12;
          try {
            for (_iterator12.s(); !(_step12 = _iterator12.n()).done;) {
              var _argument = _step12.value;
              declareArgument(_argument);
            }
          } catch (err) {
            _iterator12.e(err);
          } finally {
            _iterator12.f();
          }
          visitArgumentDefaults(_statement3.callerArgs ?? []);
          visit(_statement3.body);
          return;
        }
      case "FilterStatement":
        {
          var _statement4 = node;
          visit(_statement4.body);
          visitFilter(_statement4.filter);
          return;
        }
      case "Identifier":
        {
          var name = node.value;
          if (isSpecialMacroArgument(name) && !declared.has(name)) {
            accessed.add(name);
          }
          return;
        }
      case "MemberExpression":
        {
          var expression = node;
          visit(expression.object);
          if (expression.computed) {
            visit(expression.property);
          }
          return;
        }
      case "FilterExpression":
        {
          var _expression = node;
          visit(_expression.operand);
          visitFilter(_expression.filter);
          return;
        }
      case "TestExpression":
        visit(node.operand);
        return;
      case "SelectExpression":
        {
          var _expression2 = node;
          visit(_expression2.test);
          visit(_expression2.lhs);
          return;
        }
      case "KeywordArgumentExpression":
        visit(node.value);
        return;
      default:
        for (var _i2 = 0, _Object$values = Object.values(node); _i2 < _Object$values.length; _i2++) {
          var child = _Object$values[_i2];
          visit(child);
        }
    }
  };
  var _iterator13 = _createForOfIteratorHelper(parameters),
    _step13;
  try {
    for (_iterator13.s(); !(_step13 = _iterator13.n()).done;) {
      var parameter = _step13.value;
      declareArgument(parameter);
    }
  } catch (err) {
    _iterator13.e(err);
  } finally {
    _iterator13.f();
  }
  visit(body);
  return accessed;
}
var Interpreter = exports.Interpreter = function () {
  function Interpreter(env) {
    _classCallCheck(this, Interpreter);
    _defineProperty(this, "global", void 0);
    this.global = env ?? new Environment();
  }
  return _createClass(Interpreter, [{
    key: "run",
    value: function run(program) {
      return this.evaluate(program, this.global);
    }
  }, {
    key: "evaluateBinaryExpression",
    value: function evaluateBinaryExpression(node, environment) {
      var left = this.evaluate(node.left, environment);
      switch (node.operator.value) {
        case "and":
          return left.__bool__().value ? this.evaluate(node.right, environment) : left;
        case "or":
          return left.__bool__().value ? left : this.evaluate(node.right, environment);
      }
      var right = this.evaluate(node.right, environment);
      switch (node.operator.value) {
        case "==":
          return new BooleanValue(left.value == right.value);
        case "!=":
          return new BooleanValue(left.value != right.value);
      }
      if (left instanceof UndefinedValue || right instanceof UndefinedValue) {
        if (right instanceof UndefinedValue && ["in", "not in"].includes(node.operator.value)) {
          return new BooleanValue(node.operator.value === "not in");
        }
        throw new Error(`Cannot perform operation ${node.operator.value} on undefined values`);
      } else if (left instanceof NullValue || right instanceof NullValue) {
        throw new Error("Cannot perform operation on null values");
      } else if (node.operator.value === "~") {
        return new _StringValue(left.value.toString() + right.value.toString());
      } else if (node.operator.value === "**" && isNumericLikeValue(left) && isNumericLikeValue(right)) {
        var a = getNumericValue(left);
        var b = getNumericValue(right);
        if (a === 0 && b < 0) {
          throw new Error("0.0 cannot be raised to a negative power");
        }
        var result = a ** b;
        if (!Number.isFinite(result)) {
          throw new Error("Exponentiation result is not a finite real number");
        }
        var isFloat = left instanceof FloatValue || right instanceof FloatValue || b < 0;
        return isFloat ? new FloatValue(result) : new IntegerValue(result);
      } else if ((left instanceof IntegerValue || left instanceof FloatValue) && (right instanceof IntegerValue || right instanceof FloatValue)) {
        var _a = left.value,
          _b = right.value;
        switch (node.operator.value) {
          case "+":
          case "-":
          case "*":
            {
              var res = node.operator.value === "+" ? _a + _b : node.operator.value === "-" ? _a - _b : _a * _b;
              var _isFloat = left instanceof FloatValue || right instanceof FloatValue;
              return _isFloat ? new FloatValue(res) : new IntegerValue(res);
            }
          case "/":
            return new FloatValue(_a / _b);
          case "//":
            {
              var _res = Math.floor(_a / _b);
              var _isFloat2 = left instanceof FloatValue || right instanceof FloatValue;
              return _isFloat2 ? new FloatValue(_res) : new IntegerValue(_res);
            }
          case "%":
            {
              var rem = _a % _b;
              var _isFloat3 = left instanceof FloatValue || right instanceof FloatValue;
              return _isFloat3 ? new FloatValue(rem) : new IntegerValue(rem);
            }
          case "<":
            return new BooleanValue(_a < _b);
          case ">":
            return new BooleanValue(_a > _b);
          case ">=":
            return new BooleanValue(_a >= _b);
          case "<=":
            return new BooleanValue(_a <= _b);
        }
      } else if (left instanceof ArrayValue && right instanceof ArrayValue) {
        switch (node.operator.value) {
          case "+":
            return new ArrayValue(left.value.concat(right.value));
        }
      } else if (right instanceof ArrayValue) {
        var member = right.value.find(x => x.value === left.value) !== void 0;
        switch (node.operator.value) {
          case "in":
            return new BooleanValue(member);
          case "not in":
            return new BooleanValue(!member);
        }
      }
      if (left instanceof _StringValue || right instanceof _StringValue) {
        switch (node.operator.value) {
          case "+":
            return new _StringValue(left.value.toString() + right.value.toString());
        }
      }
      if (left instanceof _StringValue && right instanceof _StringValue) {
        switch (node.operator.value) {
          case "in":
            return new BooleanValue(right.value.includes(left.value));
          case "not in":
            return new BooleanValue(!right.value.includes(left.value));
        }
      }
      if (left instanceof _StringValue && right instanceof ObjectValue) {
        switch (node.operator.value) {
          case "in":
            return new BooleanValue(right.value.has(left.value));
          case "not in":
            return new BooleanValue(!right.value.has(left.value));
        }
      }
      throw new SyntaxError(`Unknown operator "${node.operator.value}" between ${left.type} and ${right.type}`);
    }
  }, {
    key: "evaluateArguments",
    value: function evaluateArguments(args, environment) {
      var positionalArguments = [];
      var keywordArguments = new Map();
      var addKeywordArgument = (key, value) => {
        if (keywordArguments.has(key)) {
          throw new Error(`Got multiple values for keyword argument '${key}'`);
        }
        keywordArguments.set(key, value);
      };
      var _iterator14 = _createForOfIteratorHelper(args),
        _step14;
      try {
        for (_iterator14.s(); !(_step14 = _iterator14.n()).done;) {
          var argument = _step14.value;
          if (argument.type === "SpreadExpression") {
            var spreadNode = argument;
            var val = this.evaluate(spreadNode.argument, environment);
            if (!(val instanceof ArrayValue)) {
              throw new Error(`Cannot unpack non-iterable type: ${val.type}`);
            }
            var _iterator16 = _createForOfIteratorHelper(val.value),
              _step16;
            try {
              for (_iterator16.s(); !(_step16 = _iterator16.n()).done;) {
                var item = _step16.value;
                positionalArguments.push(item);
              }
            } catch (err) {
              _iterator16.e(err);
            } finally {
              _iterator16.f();
            }
          } else if (argument.type !== "KeywordArgumentExpression" && argument.type !== "KeywordSpreadExpression") {
            positionalArguments.push(this.evaluate(argument, environment));
          }
        }
      } catch (err) {
        _iterator14.e(err);
      } finally {
        _iterator14.f();
      }
      var _iterator15 = _createForOfIteratorHelper(args),
        _step15;
      try {
        for (_iterator15.s(); !(_step15 = _iterator15.n()).done;) {
          var _argument2 = _step15.value;
          if (_argument2.type === "KeywordArgumentExpression") {
            var kwarg = _argument2;
            addKeywordArgument(kwarg.key.value, this.evaluate(kwarg.value, environment));
          } else if (_argument2.type === "KeywordSpreadExpression") {
            var _spreadNode = _argument2;
            var _val = this.evaluate(_spreadNode.argument, environment);
            if (!(_val instanceof ObjectValue)) {
              throw new Error(`Argument after ** must be a mapping, not ${_val.type}`);
            }
            var _iterator17 = _createForOfIteratorHelper(_val.value),
              _step17;
            try {
              for (_iterator17.s(); !(_step17 = _iterator17.n()).done;) {
                var _step17$value = _slicedToArray(_step17.value, 2),
                  key = _step17$value[0],
                  value = _step17$value[1];
                addKeywordArgument(key, value);
              }
            } catch (err) {
              _iterator17.e(err);
            } finally {
              _iterator17.f();
            }
          }
        }
      } catch (err) {
        _iterator15.e(err);
      } finally {
        _iterator15.f();
      }
      return [positionalArguments, keywordArguments];
    }
  }, {
    key: "applyFilter",
    value: function applyFilter(operand, filterNode, environment) {
      if (filterNode.type === "Identifier") {
        var filter = filterNode;
        if (filter.value === "safe") {
          return operand;
        }
        if (filter.value === "tojson") {
          return new _StringValue(toJSON(operand, {}));
        }
        if (operand instanceof ArrayValue) {
          switch (filter.value) {
            case "list":
              return operand;
            case "first":
              return operand.value[0];
            case "last":
              return operand.value[operand.value.length - 1];
            case "length":
              return new IntegerValue(operand.value.length);
            case "reverse":
              return new ArrayValue(operand.value.slice().reverse());
            case "sort":
              {
                return new ArrayValue(operand.value.slice().sort((a, b) => compareRuntimeValues(a, b, false)));
              }
            case "join":
              return new _StringValue(operand.value.map(x => x.value).join(""));
            case "string":
              return new _StringValue(toJSON(operand, {}, 0, false));
            case "unique":
              {
                var seen = new Set();
                var output = [];
                var _iterator18 = _createForOfIteratorHelper(operand.value),
                  _step18;
                try {
                  for (_iterator18.s(); !(_step18 = _iterator18.n()).done;) {
                    var item = _step18.value;
                    if (!seen.has(item.value)) {
                      seen.add(item.value);
                      output.push(item);
                    }
                  }
                } catch (err) {
                  _iterator18.e(err);
                } finally {
                  _iterator18.f();
                }
                return new ArrayValue(output);
              }
            default:
              throw new Error(`Unknown ArrayValue filter: ${filter.value}`);
          }
        } else if (operand instanceof _StringValue) {
          switch (filter.value) {
            case "length":
            case "upper":
            case "lower":
            case "title":
            case "capitalize":
              {
                var builtin = operand.builtins.get(filter.value);
                if (builtin instanceof FunctionValue) {
                  return builtin.value([], environment);
                } else if (builtin instanceof IntegerValue) {
                  return builtin;
                } else {
                  throw new Error(`Unknown StringValue filter: ${filter.value}`);
                }
              }
            case "trim":
              return new _StringValue(operand.value.trim());
            case "indent":
              return new _StringValue(operand.value.split("\n").map((x, i) => i === 0 || x.length === 0 ? x : "    " + x).join("\n"));
            case "join":
            case "string":
              return operand;
            case "int":
              {
                var val = parseInt(operand.value, 10);
                return new IntegerValue(isNaN(val) ? 0 : val);
              }
            case "float":
              {
                var _val2 = parseFloat(operand.value);
                return new FloatValue(isNaN(_val2) ? 0 : _val2);
              }
            default:
              throw new Error(`Unknown StringValue filter: ${filter.value}`);
          }
        } else if (operand instanceof IntegerValue || operand instanceof FloatValue) {
          switch (filter.value) {
            case "abs":
              return operand instanceof IntegerValue ? new IntegerValue(Math.abs(operand.value)) : new FloatValue(Math.abs(operand.value));
            case "int":
              return new IntegerValue(Math.floor(operand.value));
            case "float":
              return new FloatValue(operand.value);
            case "string":
              return new _StringValue(operand.toString());
            default:
              throw new Error(`Unknown NumericValue filter: ${filter.value}`);
          }
        } else if (operand instanceof ObjectValue) {
          switch (filter.value) {
            case "items":
              return new ArrayValue(Array.from(operand.value.entries()).map(_ref11 => {
                var _ref12 = _slicedToArray(_ref11, 2),
                  key = _ref12[0],
                  value = _ref12[1];
                return new ArrayValue([new _StringValue(key), value]);
              }));
            case "length":
              return new IntegerValue(operand.value.size);
            default:
              {
                var _builtin = operand.builtins.get(filter.value);
                if (_builtin) {
                  if (_builtin instanceof FunctionValue) {
                    return _builtin.value([], environment);
                  }
                  return _builtin;
                }
                throw new Error(`Unknown ObjectValue filter: ${filter.value}`);
              }
          }
        } else if (operand instanceof BooleanValue) {
          switch (filter.value) {
            case "bool":
              return new BooleanValue(operand.value);
            case "int":
              return new IntegerValue(operand.value ? 1 : 0);
            case "float":
              return new FloatValue(operand.value ? 1 : 0);
            case "string":
              return new _StringValue(operand.value ? "true" : "false");
            default:
              throw new Error(`Unknown BooleanValue filter: ${filter.value}`);
          }
        }
        throw new Error(`Cannot apply filter "${filter.value}" to type: ${operand.type}`);
      } else if (filterNode.type === "CallExpression") {
        var _filter = filterNode;
        if (_filter.callee.type !== "Identifier") {
          throw new Error(`Unknown filter: ${_filter.callee.type}`);
        }
        var filterName = _filter.callee.value;
        if (filterName === "tojson") {
          var _this$evaluateArgumen = this.evaluateArguments(_filter.args, environment),
            _this$evaluateArgumen2 = _slicedToArray(_this$evaluateArgumen, 2),
            kwargs = _this$evaluateArgumen2[1];
          var indent = kwargs.get("indent") ?? new NullValue();
          if (!(indent instanceof IntegerValue || indent instanceof NullValue)) {
            throw new Error("If set, indent must be a number");
          }
          var ensureAscii = kwargs.get("ensure_ascii") ?? new BooleanValue(false);
          if (!(ensureAscii instanceof BooleanValue)) {
            throw new Error("If set, ensure_ascii must be a boolean");
          }
          var sortKeys = kwargs.get("sort_keys") ?? new BooleanValue(false);
          if (!(sortKeys instanceof BooleanValue)) {
            throw new Error("If set, sort_keys must be a boolean");
          }
          var separatorsArg = kwargs.get("separators") ?? new NullValue();
          var separators = null;
          if (separatorsArg instanceof ArrayValue || separatorsArg instanceof TupleValue) {
            if (separatorsArg.value.length !== 2) {
              throw new Error("separators must be a tuple of two strings");
            }
            var _separatorsArg$value = _slicedToArray(separatorsArg.value, 2),
              itemSep = _separatorsArg$value[0],
              keySep = _separatorsArg$value[1];
            if (!(itemSep instanceof _StringValue) || !(keySep instanceof _StringValue)) {
              throw new Error("separators must be a tuple of two strings");
            }
            separators = [itemSep.value, keySep.value];
          } else if (!(separatorsArg instanceof NullValue)) {
            throw new Error("If set, separators must be a tuple of two strings");
          }
          return new _StringValue(toJSON(operand, {
            indent: indent.value,
            ensureAscii: ensureAscii.value,
            sortKeys: sortKeys.value,
            separators
          }));
        } else if (filterName === "join") {
          var value;
          if (operand instanceof _StringValue) {
            value = Array.from(operand.value);
          } else if (operand instanceof ArrayValue) {
            value = operand.value.map(x => x.value);
          } else {
            throw new Error(`Cannot apply filter "${filterName}" to type: ${operand.type}`);
          }
          var _this$evaluateArgumen3 = this.evaluateArguments(_filter.args, environment),
            _this$evaluateArgumen4 = _slicedToArray(_this$evaluateArgumen3, 2),
            args = _this$evaluateArgumen4[0],
            _kwargs = _this$evaluateArgumen4[1];
          var separator = args.at(0) ?? _kwargs.get("separator") ?? new _StringValue("");
          if (!(separator instanceof _StringValue)) {
            throw new Error("separator must be a string");
          }
          return new _StringValue(value.join(separator.value));
        } else if (filterName === "int" || filterName === "float") {
          var _this$evaluateArgumen5 = this.evaluateArguments(_filter.args, environment),
            _this$evaluateArgumen6 = _slicedToArray(_this$evaluateArgumen5, 2),
            _args = _this$evaluateArgumen6[0],
            _kwargs2 = _this$evaluateArgumen6[1];
          var defaultValue = _args.at(0) ?? _kwargs2.get("default") ?? (filterName === "int" ? new IntegerValue(0) : new FloatValue(0));
          if (operand instanceof _StringValue) {
            var _val3 = filterName === "int" ? parseInt(operand.value, 10) : parseFloat(operand.value);
            return isNaN(_val3) ? defaultValue : filterName === "int" ? new IntegerValue(_val3) : new FloatValue(_val3);
          } else if (operand instanceof IntegerValue || operand instanceof FloatValue) {
            return operand;
          } else if (operand instanceof BooleanValue) {
            return filterName === "int" ? new IntegerValue(operand.value ? 1 : 0) : new FloatValue(operand.value ? 1 : 0);
          } else {
            throw new Error(`Cannot apply filter "${filterName}" to type: ${operand.type}`);
          }
        } else if (filterName === "default") {
          var _this$evaluateArgumen7 = this.evaluateArguments(_filter.args, environment),
            _this$evaluateArgumen8 = _slicedToArray(_this$evaluateArgumen7, 2),
            _args2 = _this$evaluateArgumen8[0],
            _kwargs3 = _this$evaluateArgumen8[1];
          var _defaultValue = _args2[0] ?? new _StringValue("");
          var booleanValue = _args2[1] ?? _kwargs3.get("boolean") ?? new BooleanValue(false);
          if (!(booleanValue instanceof BooleanValue)) {
            throw new Error("`default` filter flag must be a boolean");
          }
          if (operand instanceof UndefinedValue || booleanValue.value && !operand.__bool__().value) {
            return _defaultValue;
          }
          return operand;
        }
        if (operand instanceof ArrayValue) {
          switch (filterName) {
            case "sort":
              {
                var _this$evaluateArgumen9 = this.evaluateArguments(_filter.args, environment),
                  _this$evaluateArgumen0 = _slicedToArray(_this$evaluateArgumen9, 2),
                  _args3 = _this$evaluateArgumen0[0],
                  _kwargs4 = _this$evaluateArgumen0[1];
                var reverse = _args3.at(0) ?? _kwargs4.get("reverse") ?? new BooleanValue(false);
                if (!(reverse instanceof BooleanValue)) {
                  throw new Error("reverse must be a boolean");
                }
                var caseSensitive = _args3.at(1) ?? _kwargs4.get("case_sensitive") ?? new BooleanValue(false);
                if (!(caseSensitive instanceof BooleanValue)) {
                  throw new Error("case_sensitive must be a boolean");
                }
                var attribute = _args3.at(2) ?? _kwargs4.get("attribute") ?? new NullValue();
                if (!(attribute instanceof _StringValue || attribute instanceof IntegerValue || attribute instanceof NullValue)) {
                  throw new Error("attribute must be a string, integer, or null");
                }
                var getSortValue = item => {
                  if (attribute instanceof NullValue) {
                    return item;
                  }
                  var attrPath = attribute instanceof IntegerValue ? String(attribute.value) : attribute.value;
                  return getAttributeValue(item, attrPath);
                };
                return new ArrayValue(operand.value.slice().sort((a, b) => {
                  var aVal = getSortValue(a);
                  var bVal = getSortValue(b);
                  var result = compareRuntimeValues(aVal, bVal, caseSensitive.value);
                  return reverse.value ? -result : result;
                }));
              }
            case "selectattr":
            case "rejectattr":
              {
                var select = filterName === "selectattr";
                if (operand.value.some(item => !isAttributeContainer(item))) {
                  throw new Error(`\`${filterName}\` can only be applied to array of objects`);
                }
                if (_filter.args.some(x => x.type !== "StringLiteral")) {
                  throw new Error(`arguments of \`${filterName}\` must be strings`);
                }
                var _filter$args$map = _filter.args.map(x => this.evaluate(x, environment)),
                  _filter$args$map2 = _slicedToArray(_filter$args$map, 3),
                  attr = _filter$args$map2[0],
                  testName = _filter$args$map2[1],
                  _value4 = _filter$args$map2[2];
                var testFunction;
                if (testName) {
                  var test = environment.tests.get(testName.value);
                  if (!test) {
                    throw new Error(`Unknown test: ${testName.value}`);
                  }
                  testFunction = test;
                } else {
                  testFunction = function testFunction() {
                    for (var _len23 = arguments.length, x = new Array(_len23), _key25 = 0; _key25 < _len23; _key25++) {
                      x[_key25] = arguments[_key25];
                    }
                    return x[0].__bool__().value;
                  };
                }
                var filtered = operand.value.filter(item => {
                  var a = item.value.get(attr.value);
                  var result = a ? testFunction(a, _value4) : false;
                  return select ? result : !result;
                });
                return new ArrayValue(filtered);
              }
            case "map":
              {
                var _this$evaluateArgumen1 = this.evaluateArguments(_filter.args, environment),
                  _this$evaluateArgumen10 = _slicedToArray(_this$evaluateArgumen1, 2),
                  _kwargs5 = _this$evaluateArgumen10[1];
                if (_kwargs5.has("attribute")) {
                  var _attr = _kwargs5.get("attribute");
                  if (!(_attr instanceof _StringValue)) {
                    throw new Error("attribute must be a string");
                  }
                  var _defaultValue2 = _kwargs5.get("default");
                  var mapped = operand.value.map(item => {
                    if (!isAttributeContainer(item)) {
                      throw new Error("items in map must be an object");
                    }
                    var value = getAttributeValue(item, _attr.value);
                    return value instanceof UndefinedValue ? _defaultValue2 ?? new UndefinedValue() : value;
                  });
                  return new ArrayValue(mapped);
                } else {
                  throw new Error("`map` expressions without `attribute` set are not currently supported.");
                }
              }
          }
          throw new Error(`Unknown ArrayValue filter: ${filterName}`);
        } else if (operand instanceof _StringValue) {
          switch (filterName) {
            case "indent":
              {
                var _this$evaluateArgumen11 = this.evaluateArguments(_filter.args, environment),
                  _this$evaluateArgumen12 = _slicedToArray(_this$evaluateArgumen11, 2),
                  _args4 = _this$evaluateArgumen12[0],
                  _kwargs6 = _this$evaluateArgumen12[1];
                var width = _args4.at(0) ?? _kwargs6.get("width") ?? new IntegerValue(4);
                if (!(width instanceof IntegerValue)) {
                  throw new Error("width must be a number");
                }
                var first = _args4.at(1) ?? _kwargs6.get("first") ?? new BooleanValue(false);
                var blank = _args4.at(2) ?? _kwargs6.get("blank") ?? new BooleanValue(false);
                var lines = operand.value.split("\n");
                var _indent = " ".repeat(width.value);
                var indented = lines.map((x, i) => !first.value && i === 0 || !blank.value && x.length === 0 ? x : _indent + x);
                return new _StringValue(indented.join("\n"));
              }
            case "replace":
              {
                var replaceFn = operand.builtins.get("replace");
                if (!(replaceFn instanceof FunctionValue)) {
                  throw new Error("replace filter not available");
                }
                var _this$evaluateArgumen13 = this.evaluateArguments(_filter.args, environment),
                  _this$evaluateArgumen14 = _slicedToArray(_this$evaluateArgumen13, 2),
                  _args5 = _this$evaluateArgumen14[0],
                  _kwargs7 = _this$evaluateArgumen14[1];
                return replaceFn.value([].concat(_toConsumableArray(_args5), [new KeywordArgumentsValue(_kwargs7)]), environment);
              }
          }
          throw new Error(`Unknown StringValue filter: ${filterName}`);
        } else if (operand instanceof ObjectValue) {
          var _builtin2 = operand.builtins.get(filterName);
          if (_builtin2 && _builtin2 instanceof FunctionValue) {
            var _this$evaluateArgumen15 = this.evaluateArguments(_filter.args, environment),
              _this$evaluateArgumen16 = _slicedToArray(_this$evaluateArgumen15, 2),
              _args6 = _this$evaluateArgumen16[0],
              _kwargs8 = _this$evaluateArgumen16[1];
            if (_kwargs8.size > 0) {
              _args6.push(new KeywordArgumentsValue(_kwargs8));
            }
            return _builtin2.value(_args6, environment);
          }
          throw new Error(`Unknown ObjectValue filter: ${filterName}`);
        } else {
          throw new Error(`Cannot apply filter "${filterName}" to type: ${operand.type}`);
        }
      }
      throw new Error(`Unknown filter: ${filterNode.type}`);
    }
  }, {
    key: "evaluateFilterExpression",
    value: function evaluateFilterExpression(node, environment) {
      var operand = this.evaluate(node.operand, environment);
      return this.applyFilter(operand, node.filter, environment);
    }
  }, {
    key: "evaluateTestExpression",
    value: function evaluateTestExpression(node, environment) {
      var operand = this.evaluate(node.operand, environment);
      var test = environment.tests.get(node.test.value);
      if (!test) {
        throw new Error(`Unknown test: ${node.test.value}`);
      }
      var result = test(operand);
      return new BooleanValue(node.negate ? !result : result);
    }
  }, {
    key: "evaluateSelectExpression",
    value: function evaluateSelectExpression(node, environment) {
      var predicate = this.evaluate(node.test, environment);
      if (!predicate.__bool__().value) {
        return new UndefinedValue();
      }
      return this.evaluate(node.lhs, environment);
    }
  }, {
    key: "evaluateUnaryExpression",
    value: function evaluateUnaryExpression(node, environment) {
      var argument = this.evaluate(node.argument, environment);
      switch (node.operator.value) {
        case "not":
          return new BooleanValue(!argument.__bool__().value);
        case "+":
        case "-":
          {
            var sign = node.operator.value === "-" ? -1 : 1;
            if (argument instanceof IntegerValue || argument instanceof FloatValue || argument instanceof BooleanValue) {
              var value = argument instanceof BooleanValue ? argument.value ? 1 : 0 : argument.value;
              var result = sign * value;
              return argument instanceof FloatValue ? new FloatValue(result) : new IntegerValue(result);
            }
            throw new SyntaxError(`Unknown operator "${node.operator.value}" for ${argument.type}`);
          }
        default:
          throw new SyntaxError(`Unknown operator: ${node.operator.value}`);
      }
    }
  }, {
    key: "evaluateTernaryExpression",
    value: function evaluateTernaryExpression(node, environment) {
      var cond = this.evaluate(node.condition, environment);
      return cond.__bool__().value ? this.evaluate(node.trueExpr, environment) : this.evaluate(node.falseExpr, environment);
    }
  }, {
    key: "evalProgram",
    value: function evalProgram(program, environment) {
      return this.evaluateBlock(program.body, environment);
    }
  }, {
    key: "evaluateBlock",
    value: function evaluateBlock(statements, environment) {
      var result = "";
      var _iterator19 = _createForOfIteratorHelper(statements),
        _step19;
      try {
        for (_iterator19.s(); !(_step19 = _iterator19.n()).done;) {
          var statement = _step19.value;
          var lastEvaluated = this.evaluate(statement, environment);
          if (lastEvaluated.type !== "NullValue" && lastEvaluated.type !== "UndefinedValue") {
            result += lastEvaluated.toString();
          }
        }
      } catch (err) {
        _iterator19.e(err);
      } finally {
        _iterator19.f();
      }
      return new _StringValue(result);
    }
  }, {
    key: "evaluateIdentifier",
    value: function evaluateIdentifier(node, environment) {
      return environment.lookupVariable(node.value);
    }
  }, {
    key: "evaluateCallExpression",
    value: function evaluateCallExpression(expr, environment) {
      var _this$evaluateArgumen17 = this.evaluateArguments(expr.args, environment),
        _this$evaluateArgumen18 = _slicedToArray(_this$evaluateArgumen17, 2),
        args = _this$evaluateArgumen18[0],
        kwargs = _this$evaluateArgumen18[1];
      if (kwargs.size > 0) {
        args.push(new KeywordArgumentsValue(kwargs));
      }
      var fn = this.evaluate(expr.callee, environment);
      if (fn.type !== "FunctionValue") {
        throw new Error(`Cannot call something that is not a function: got ${fn.type}`);
      }
      return fn.value(args, environment);
    }
  }, {
    key: "evaluateSliceExpression",
    value: function evaluateSliceExpression(object, expr, environment) {
      if (!(object instanceof ArrayValue || object instanceof _StringValue)) {
        throw new Error("Slice object must be an array or string");
      }
      var start = this.evaluate(expr.start, environment);
      var stop = this.evaluate(expr.stop, environment);
      var step = this.evaluate(expr.step, environment);
      if (!(start instanceof IntegerValue || start instanceof UndefinedValue)) {
        throw new Error("Slice start must be numeric or undefined");
      }
      if (!(stop instanceof IntegerValue || stop instanceof UndefinedValue)) {
        throw new Error("Slice stop must be numeric or undefined");
      }
      if (!(step instanceof IntegerValue || step instanceof UndefinedValue)) {
        throw new Error("Slice step must be numeric or undefined");
      }
      if (object instanceof ArrayValue) {
        return new ArrayValue(slice(object.value, start.value, stop.value, step.value));
      } else {
        return new _StringValue(slice(Array.from(object.value), start.value, stop.value, step.value).join(""));
      }
    }
  }, {
    key: "evaluateMemberExpression",
    value: function evaluateMemberExpression(expr, environment) {
      var object = this.evaluate(expr.object, environment);
      var property;
      if (expr.computed) {
        if (expr.property.type === "SliceExpression") {
          return this.evaluateSliceExpression(object, expr.property, environment);
        } else {
          property = this.evaluate(expr.property, environment);
        }
      } else if (expr.property.type === "IntegerLiteral") {
        property = new IntegerValue(expr.property.value);
      } else {
        property = new _StringValue(expr.property.value);
      }
      var value;
      if (isAttributeContainer(object)) {
        if (!(property instanceof _StringValue)) {
          throw new Error(`Cannot access property with non-string: got ${property.type}`);
        }
        value = object.value.get(property.value) ?? (object instanceof ObjectValue ? object.builtins.get(property.value) : void 0);
      } else if (object instanceof ArrayValue || object instanceof _StringValue) {
        if (property instanceof IntegerValue) {
          if (object instanceof _StringValue) {
            var character = object.value.at(property.value);
            value = character === void 0 ? void 0 : new _StringValue(character);
          } else {
            value = object.value.at(property.value);
          }
        } else if (property instanceof _StringValue) {
          value = object.builtins.get(property.value);
        } else {
          throw new Error(`Cannot access property with non-string/non-number: got ${property.type}`);
        }
      } else {
        if (!(property instanceof _StringValue)) {
          throw new Error(`Cannot access property with non-string: got ${property.type}`);
        }
        value = object.builtins.get(property.value);
      }
      return value instanceof RuntimeValue ? value : new UndefinedValue();
    }
  }, {
    key: "evaluateSet",
    value: function evaluateSet(node, environment) {
      var rhs = node.value ? this.evaluate(node.value, environment) : this.evaluateBlock(node.body, environment);
      if (node.assignee.type === "Identifier") {
        var variableName = node.assignee.value;
        environment.setVariable(variableName, rhs);
      } else if (node.assignee.type === "TupleLiteral") {
        var tuple = node.assignee;
        if (!(rhs instanceof ArrayValue)) {
          throw new Error(`Cannot unpack non-iterable type in set: ${rhs.type}`);
        }
        var arr = rhs.value;
        if (arr.length !== tuple.value.length) {
          throw new Error(`Too ${tuple.value.length > arr.length ? "few" : "many"} items to unpack in set`);
        }
        for (var i = 0; i < tuple.value.length; ++i) {
          var elem = tuple.value[i];
          if (elem.type !== "Identifier") {
            throw new Error(`Cannot unpack to non-identifier in set: ${elem.type}`);
          }
          environment.setVariable(elem.value, arr[i]);
        }
      } else if (node.assignee.type === "MemberExpression") {
        var member = node.assignee;
        var object = this.evaluate(member.object, environment);
        if (!(object instanceof NamespaceValue)) {
          throw new Error("cannot assign attribute on non-namespace object");
        }
        if (member.property.type !== "Identifier") {
          throw new Error("Cannot assign to member with non-identifier property");
        }
        object.value.set(member.property.value, rhs);
      } else {
        throw new Error(`Invalid LHS inside assignment expression: ${JSON.stringify(node.assignee)}`);
      }
      return new NullValue();
    }
  }, {
    key: "evaluateIf",
    value: function evaluateIf(node, environment) {
      var test = this.evaluate(node.test, environment);
      return this.evaluateBlock(test.__bool__().value ? node.body : node.alternate, environment);
    }
  }, {
    key: "evaluateFor",
    value: function evaluateFor(node, environment) {
      var _this42 = this;
      var scope = new Environment(environment);
      var test, iterable;
      if (node.iterable.type === "SelectExpression") {
        var select = node.iterable;
        iterable = this.evaluate(select.lhs, scope);
        test = select.test;
      } else {
        iterable = this.evaluate(node.iterable, scope);
      }
      if (!(iterable instanceof ArrayValue || iterable instanceof ObjectValue)) {
        throw new Error(`Expected iterable or object type in for loop: got ${iterable.type}`);
      }
      if (iterable instanceof ObjectValue) {
        iterable = iterable.keys();
      }
      var items = [];
      var scopeUpdateFunctions = [];
      var _loop2 = function _loop2() {
        var loopScope = new Environment(scope);
        var current = iterable.value[i];
        var scopeUpdateFunction;
        if (node.loopvar.type === "Identifier") {
          scopeUpdateFunction = scope2 => scope2.setVariable(node.loopvar.value, current);
        } else if (node.loopvar.type === "TupleLiteral") {
          var loopvar = node.loopvar;
          if (current.type !== "ArrayValue") {
            throw new Error(`Cannot unpack non-iterable type: ${current.type}`);
          }
          var c = current;
          if (loopvar.value.length !== c.value.length) {
            throw new Error(`Too ${loopvar.value.length > c.value.length ? "few" : "many"} items to unpack`);
          }
          scopeUpdateFunction = scope2 => {
            for (var j = 0; j < loopvar.value.length; ++j) {
              if (loopvar.value[j].type !== "Identifier") {
                throw new Error(`Cannot unpack non-identifier type: ${loopvar.value[j].type}`);
              }
              scope2.setVariable(loopvar.value[j].value, c.value[j]);
            }
          };
        } else {
          throw new Error(`Invalid loop variable(s): ${node.loopvar.type}`);
        }
        if (test) {
          scopeUpdateFunction(loopScope);
          var testValue = _this42.evaluate(test, loopScope);
          if (!testValue.__bool__().value) {
            return 1;
          }
        }
        items.push(current);
        scopeUpdateFunctions.push(scopeUpdateFunction);
      };
      for (var i = 0; i < iterable.value.length; ++i) {
        if (_loop2()) continue;
      }
      var result = "";
      var noIteration = true;
      for (var _i3 = 0; _i3 < items.length; ++_i3) {
        var loop = new Map([["index", new IntegerValue(_i3 + 1)], ["index0", new IntegerValue(_i3)], ["revindex", new IntegerValue(items.length - _i3)], ["revindex0", new IntegerValue(items.length - _i3 - 1)], ["first", new BooleanValue(_i3 === 0)], ["last", new BooleanValue(_i3 === items.length - 1)], ["length", new IntegerValue(items.length)], ["previtem", _i3 > 0 ? items[_i3 - 1] : new UndefinedValue()], ["nextitem", _i3 < items.length - 1 ? items[_i3 + 1] : new UndefinedValue()]]);
        scope.setVariable("loop", new ObjectValue(loop));
        scopeUpdateFunctions[_i3](scope);
        try {
          var evaluated = this.evaluateBlock(node.body, scope);
          result += evaluated.value;
        } catch (err) {
          if (err instanceof ContinueControl) {
            continue;
          }
          if (err instanceof BreakControl) {
            break;
          }
          throw err;
        }
        noIteration = false;
      }
      if (noIteration) {
        var defaultEvaluated = this.evaluateBlock(node.defaultBlock, scope);
        result += defaultEvaluated.value;
      }
      return new _StringValue(result);
    }
  }, {
    key: "bindMacroArguments",
    value: function bindMacroArguments(displayName, parameters, specialArguments, args, scope) {
      var positionalArguments = args.slice();
      var keywordArguments = new Map();
      if (positionalArguments.at(-1) instanceof KeywordArgumentsValue) {
        keywordArguments = new Map(positionalArguments.pop().value);
      }
      var pendingDefaults = [];
      for (var i = 0; i < parameters.length; ++i) {
        var _getParameterDescript = getParameterDescriptor(parameters[i]),
          name = _getParameterDescript.name,
          defaultValue = _getParameterDescript.defaultValue;
        var value = positionalArguments[i];
        if (value === void 0 && keywordArguments.has(name)) {
          value = keywordArguments.get(name);
          keywordArguments.delete(name);
        }
        if (value === void 0 && defaultValue !== void 0) {
          pendingDefaults.push([name, defaultValue]);
        }
        scope.setVariable(name, value ?? new UndefinedValue());
      }
      if (specialArguments.has("kwargs")) {
        scope.setVariable("kwargs", new ObjectValue(keywordArguments));
      } else if (keywordArguments.size > 0) {
        throw new Error(`macro ${displayName} takes no keyword argument '${keywordArguments.keys().next().value}'`);
      }
      if (specialArguments.has("varargs")) {
        scope.setVariable("varargs", new ArrayValue(positionalArguments.slice(parameters.length)));
      } else if (positionalArguments.length > parameters.length) {
        throw new Error(`macro ${displayName} takes not more than ${parameters.length} argument(s)`);
      }
      for (var _i4 = 0, _pendingDefaults = pendingDefaults; _i4 < _pendingDefaults.length; _i4++) {
        var _pendingDefaults$_i = _slicedToArray(_pendingDefaults[_i4], 2),
          _name = _pendingDefaults$_i[0],
          _defaultValue3 = _pendingDefaults$_i[1];
        scope.setVariable(_name, this.evaluate(_defaultValue3, scope));
      }
    }
  }, {
    key: "evaluateMacro",
    value: function evaluateMacro(node, environment) {
      var specialArguments = findAccessedSpecialMacroArguments(node.args, node.body);
      environment.setVariable(node.name.value, new FunctionValue((args, scope) => {
        var macroScope = new Environment(scope);
        this.bindMacroArguments(`'${node.name.value}'`, node.args, specialArguments, args, macroScope);
        return this.evaluateBlock(node.body, macroScope);
      }));
      return new NullValue();
    }
  }, {
    key: "evaluateCallStatement",
    value: function evaluateCallStatement(node, environment) {
      var parameters = node.callerArgs ?? [];
      var specialArguments = findAccessedSpecialMacroArguments(parameters, node.body);
      var callerFn = new FunctionValue(callerArguments => {
        var callBlockEnv = new Environment(environment);
        this.bindMacroArguments("None", parameters, specialArguments, callerArguments, callBlockEnv);
        return this.evaluateBlock(node.body, callBlockEnv);
      });
      var _this$evaluateArgumen19 = this.evaluateArguments(node.call.args, environment),
        _this$evaluateArgumen20 = _slicedToArray(_this$evaluateArgumen19, 2),
        macroArgs = _this$evaluateArgumen20[0],
        macroKwargs = _this$evaluateArgumen20[1];
      macroArgs.push(new KeywordArgumentsValue(macroKwargs));
      var fn = this.evaluate(node.call.callee, environment);
      if (fn.type !== "FunctionValue") {
        throw new Error(`Cannot call something that is not a function: got ${fn.type}`);
      }
      var newEnv = new Environment(environment);
      newEnv.setVariable("caller", callerFn);
      return fn.value(macroArgs, newEnv);
    }
  }, {
    key: "evaluateFilterStatement",
    value: function evaluateFilterStatement(node, environment) {
      var rendered = this.evaluateBlock(node.body, environment);
      return this.applyFilter(rendered, node.filter, environment);
    }
  }, {
    key: "evaluate",
    value: function evaluate(statement, environment) {
      if (!statement) {
        return new UndefinedValue();
      }
      switch (statement.type) {
        case "Program":
          return this.evalProgram(statement, environment);
        case "Set":
          return this.evaluateSet(statement, environment);
        case "If":
          return this.evaluateIf(statement, environment);
        case "For":
          return this.evaluateFor(statement, environment);
        case "Macro":
          return this.evaluateMacro(statement, environment);
        case "CallStatement":
          return this.evaluateCallStatement(statement, environment);
        case "Break":
          throw new BreakControl();
        case "Continue":
          throw new ContinueControl();
        case "IntegerLiteral":
          return new IntegerValue(statement.value);
        case "FloatLiteral":
          return new FloatValue(statement.value);
        case "StringLiteral":
          return new _StringValue(statement.value);
        case "ArrayLiteral":
          return new ArrayValue(statement.value.map(x => this.evaluate(x, environment)));
        case "TupleLiteral":
          return new TupleValue(statement.value.map(x => this.evaluate(x, environment)));
        case "ObjectLiteral":
          {
            var mapping = new Map();
            var _iterator20 = _createForOfIteratorHelper(statement.value),
              _step20;
            try {
              for (_iterator20.s(); !(_step20 = _iterator20.n()).done;) {
                var _step20$value = _slicedToArray(_step20.value, 2),
                  key = _step20$value[0],
                  value = _step20$value[1];
                var evaluatedKey = this.evaluate(key, environment);
                if (!(evaluatedKey instanceof _StringValue)) {
                  throw new Error(`Object keys must be strings: got ${evaluatedKey.type}`);
                }
                mapping.set(evaluatedKey.value, this.evaluate(value, environment));
              }
            } catch (err) {
              _iterator20.e(err);
            } finally {
              _iterator20.f();
            }
            return new ObjectValue(mapping);
          }
        case "Identifier":
          return this.evaluateIdentifier(statement, environment);
        case "CallExpression":
          return this.evaluateCallExpression(statement, environment);
        case "MemberExpression":
          return this.evaluateMemberExpression(statement, environment);
        case "UnaryExpression":
          return this.evaluateUnaryExpression(statement, environment);
        case "BinaryExpression":
          return this.evaluateBinaryExpression(statement, environment);
        case "FilterExpression":
          return this.evaluateFilterExpression(statement, environment);
        case "FilterStatement":
          return this.evaluateFilterStatement(statement, environment);
        case "TestExpression":
          return this.evaluateTestExpression(statement, environment);
        case "SelectExpression":
          return this.evaluateSelectExpression(statement, environment);
        case "Ternary":
          return this.evaluateTernaryExpression(statement, environment);
        case "Comment":
          return new NullValue();
        default:
          throw new SyntaxError(`Unknown node type: ${statement.type}`);
      }
    }
  }]);
}();
function convertToRuntimeValues(input) {
  switch (typeof input) {
    case "number":
      return Number.isInteger(input) ? new IntegerValue(input) : new FloatValue(input);
    case "string":
      return new _StringValue(input);
    case "boolean":
      return new BooleanValue(input);
    case "undefined":
      return new UndefinedValue();
    case "object":
      if (input === null) {
        return new NullValue();
      } else if (Array.isArray(input)) {
        return new ArrayValue(input.map(convertToRuntimeValues));
      } else {
        return new ObjectValue(new Map(Object.entries(input).map(_ref13 => {
          var _ref14 = _slicedToArray(_ref13, 2),
            key = _ref14[0],
            value = _ref14[1];
          return [key, convertToRuntimeValues(value)];
        })));
      }
    case "function":
      return new FunctionValue((args, _scope) => {
        var result = input.apply(void 0, _toConsumableArray(args.map(x => x.value))) ?? null;
        return convertToRuntimeValues(result);
      });
    default:
      throw new Error(`Cannot convert to runtime value: ${input}`);
  }
}
var NEWLINE = "\n";
var OPEN_STATEMENT = "{%- ";
var CLOSE_STATEMENT = " -%}";
var PRECEDENCE = Object.freeze({
  CONDITIONAL: 0,
  LOGICAL_OR: 1,
  LOGICAL_AND: 2,
  LOGICAL_NOT: 3,
  COMPARISON: 4,
  ADDITIVE: 5,
  MULTIPLICATIVE: 6,
  EXPONENTIATION: 7,
  TEST: 8,
  FILTER: 9,
  UNARY_SIGN: 10,
  ATOM: 11
});
function getBinaryOperatorPrecedence(expr) {
  switch (expr.operator.type) {
    case "ExponentiationBinaryOperator":
      return PRECEDENCE.EXPONENTIATION;
    case "MultiplicativeBinaryOperator":
      return PRECEDENCE.MULTIPLICATIVE;
    case "AdditiveBinaryOperator":
      return PRECEDENCE.ADDITIVE;
    case "ComparisonBinaryOperator":
      return PRECEDENCE.COMPARISON;
    case "Identifier":
      if (expr.operator.value === "and") {
        return PRECEDENCE.LOGICAL_AND;
      }
      if (expr.operator.value === "in" || expr.operator.value === "not in") {
        return PRECEDENCE.COMPARISON;
      }
      return PRECEDENCE.LOGICAL_OR;
  }
  return PRECEDENCE.LOGICAL_OR;
}
function getPrecedence(node) {
  switch (node.type) {
    case "SelectExpression":
    case "Ternary":
      return PRECEDENCE.CONDITIONAL;
    case "BinaryExpression":
      return getBinaryOperatorPrecedence(node);
    case "UnaryExpression":
      return node.operator.value === "not" ? PRECEDENCE.LOGICAL_NOT : PRECEDENCE.UNARY_SIGN;
    case "TestExpression":
      return PRECEDENCE.TEST;
    case "FilterExpression":
      return PRECEDENCE.FILTER;
    default:
      return PRECEDENCE.ATOM;
  }
}
function formatOperand(node, minPrecedence) {
  var expr = formatExpression(node);
  return getPrecedence(node) < minPrecedence ? `(${expr})` : expr;
}
function _format(program) {
  var indent = arguments.length > 1 && arguments[1] !== undefined ? arguments[1] : "	";
  var indentStr = typeof indent === "number" ? " ".repeat(indent) : indent;
  var body = formatStatements(program.body, 0, indentStr);
  return body.replace(/\n$/, "");
}
function createStatement() {
  for (var _len24 = arguments.length, text = new Array(_len24), _key26 = 0; _key26 < _len24; _key26++) {
    text[_key26] = arguments[_key26];
  }
  return OPEN_STATEMENT + text.join(" ") + CLOSE_STATEMENT;
}
function formatStatements(stmts, depth, indentStr) {
  return stmts.map(stmt => formatStatement(stmt, depth, indentStr)).join(NEWLINE);
}
function formatExpressionList(expressions) {
  return expressions.map(expression => formatExpression(expression)).join(", ");
}
function formatStatement(node, depth, indentStr) {
  var pad = indentStr.repeat(depth);
  switch (node.type) {
    case "Program":
      return formatStatements(node.body, depth, indentStr);
    case "If":
      return formatIf(node, depth, indentStr);
    case "For":
      return formatFor(node, depth, indentStr);
    case "Set":
      return formatSet(node, depth, indentStr);
    case "Macro":
      return formatMacro(node, depth, indentStr);
    case "Break":
      return pad + createStatement("break");
    case "Continue":
      return pad + createStatement("continue");
    case "CallStatement":
      return formatCallStatement(node, depth, indentStr);
    case "FilterStatement":
      return formatFilterStatement(node, depth, indentStr);
    case "Comment":
      return pad + "{# " + node.value + " #}";
    default:
      return pad + "{{- " + formatExpression(node) + " -}}";
  }
}
function formatIf(node, depth, indentStr) {
  var pad = indentStr.repeat(depth);
  var clauses = [];
  var current = node;
  while (current) {
    clauses.push({
      test: current.test,
      body: current.body
    });
    if (current.alternate.length === 1 && current.alternate[0].type === "If") {
      current = current.alternate[0];
    } else {
      break;
    }
  }
  var out = pad + createStatement("if", formatExpression(clauses[0].test)) + NEWLINE + formatStatements(clauses[0].body, depth + 1, indentStr);
  for (var i = 1; i < clauses.length; ++i) {
    out += NEWLINE + pad + createStatement("elif", formatExpression(clauses[i].test)) + NEWLINE + formatStatements(clauses[i].body, depth + 1, indentStr);
  }
  if (current && current.alternate.length > 0) {
    out += NEWLINE + pad + createStatement("else") + NEWLINE + formatStatements(current.alternate, depth + 1, indentStr);
  }
  out += NEWLINE + pad + createStatement("endif");
  return out;
}
function formatFor(node, depth, indentStr) {
  var pad = indentStr.repeat(depth);
  var formattedIterable = "";
  if (node.iterable.type === "SelectExpression") {
    var n = node.iterable;
    formattedIterable = `${formatExpression(n.lhs)} if ${formatExpression(n.test)}`;
  } else {
    formattedIterable = formatExpression(node.iterable);
  }
  var out = pad + createStatement("for", formatExpression(node.loopvar), "in", formattedIterable) + NEWLINE + formatStatements(node.body, depth + 1, indentStr);
  if (node.defaultBlock.length > 0) {
    out += NEWLINE + pad + createStatement("else") + NEWLINE + formatStatements(node.defaultBlock, depth + 1, indentStr);
  }
  out += NEWLINE + pad + createStatement("endfor");
  return out;
}
function formatSet(node, depth, indentStr) {
  var pad = indentStr.repeat(depth);
  var left = formatExpression(node.assignee);
  var right = node.value ? formatExpression(node.value) : "";
  var value = pad + createStatement("set", `${left}${node.value ? " = " + right : ""}`);
  if (node.body.length === 0) {
    return value;
  }
  return value + NEWLINE + formatStatements(node.body, depth + 1, indentStr) + NEWLINE + pad + createStatement("endset");
}
function formatMacro(node, depth, indentStr) {
  var pad = indentStr.repeat(depth);
  var args = formatExpressionList(node.args);
  return pad + createStatement("macro", `${node.name.value}(${args})`) + NEWLINE + formatStatements(node.body, depth + 1, indentStr) + NEWLINE + pad + createStatement("endmacro");
}
function formatCallStatement(node, depth, indentStr) {
  var pad = indentStr.repeat(depth);
  var params = node.callerArgs && node.callerArgs.length > 0 ? `(${formatExpressionList(node.callerArgs)})` : "";
  var callExpr = formatExpression(node.call);
  var out = pad + createStatement(`call${params}`, callExpr) + NEWLINE;
  out += formatStatements(node.body, depth + 1, indentStr) + NEWLINE;
  out += pad + createStatement("endcall");
  return out;
}
function formatFilterStatement(node, depth, indentStr) {
  var pad = indentStr.repeat(depth);
  var spec = node.filter.type === "Identifier" ? node.filter.value : formatExpression(node.filter);
  var out = pad + createStatement("filter", spec) + NEWLINE;
  out += formatStatements(node.body, depth + 1, indentStr) + NEWLINE;
  out += pad + createStatement("endfilter");
  return out;
}
function formatExpression(node) {
  switch (node.type) {
    case "SpreadExpression":
      {
        var n = node;
        return `*${formatExpression(n.argument)}`;
      }
    case "KeywordSpreadExpression":
      {
        var _n = node;
        return `**${formatExpression(_n.argument)}`;
      }
    case "Identifier":
      return node.value;
    case "IntegerLiteral":
      return `${node.value}`;
    case "FloatLiteral":
      {
        var value = node.value;
        if (Object.is(value, -0)) {
          return "-0.0";
        }
        return value % 1 === 0 ? value.toFixed(1) : value.toString();
      }
    case "StringLiteral":
      return JSON.stringify(node.value);
    case "BinaryExpression":
      {
        var _n2 = node;
        var thisPrecedence = getBinaryOperatorPrecedence(_n2);
        var left = formatOperand(_n2.left, thisPrecedence);
        var right = formatOperand(_n2.right, thisPrecedence + 1);
        return `${left} ${_n2.operator.value} ${right}`;
      }
    case "UnaryExpression":
      {
        var _n3 = node;
        var operandPrecedence = _n3.argument.type === "UnaryExpression" ? getPrecedence(_n3) : PRECEDENCE.ATOM;
        return _n3.operator.value + (_n3.operator.value === "not" ? " " : "") + formatOperand(_n3.argument, operandPrecedence);
      }
    case "CallExpression":
      {
        var _n4 = node;
        var args = formatExpressionList(_n4.args);
        return `${formatExpression(_n4.callee)}(${args})`;
      }
    case "MemberExpression":
      {
        var _n5 = node;
        var obj = formatOperand(_n5.object, PRECEDENCE.ATOM);
        var prop = formatExpression(_n5.property);
        if (!_n5.computed && _n5.property.type !== "Identifier" && _n5.property.type !== "IntegerLiteral") {
          prop = `(${prop})`;
        }
        return _n5.computed ? `${obj}[${prop}]` : `${obj}.${prop}`;
      }
    case "FilterExpression":
      {
        var _n6 = node;
        var operand = formatOperand(_n6.operand, PRECEDENCE.FILTER);
        if (_n6.filter.type === "CallExpression") {
          return `${operand} | ${formatExpression(_n6.filter)}`;
        }
        return `${operand} | ${_n6.filter.value}`;
      }
    case "SelectExpression":
      {
        var _n7 = node;
        return `${formatOperand(_n7.lhs, PRECEDENCE.LOGICAL_OR)} if ${formatOperand(_n7.test, PRECEDENCE.LOGICAL_OR)}`;
      }
    case "TestExpression":
      {
        var _n8 = node;
        return `${formatOperand(_n8.operand, PRECEDENCE.TEST)} is${_n8.negate ? " not" : ""} ${_n8.test.value}`;
      }
    case "ArrayLiteral":
    case "TupleLiteral":
      {
        var elems = formatExpressionList(node.value);
        var brackets = node.type === "ArrayLiteral" ? "[]" : "()";
        return `${brackets[0]}${elems}${brackets[1]}`;
      }
    case "ObjectLiteral":
      {
        var entries = Array.from(node.value.entries()).map(_ref15 => {
          var _ref16 = _slicedToArray(_ref15, 2),
            k = _ref16[0],
            v = _ref16[1];
          return `${formatExpression(k)}: ${formatExpression(v)}`;
        });
        return `{${entries.join(", ")}}`;
      }
    case "SliceExpression":
      {
        var _n9 = node;
        var s = _n9.start ? formatExpression(_n9.start) : "";
        var t = _n9.stop ? formatExpression(_n9.stop) : "";
        var st = _n9.step ? `:${formatExpression(_n9.step)}` : "";
        return `${s}:${t}${st}`;
      }
    case "KeywordArgumentExpression":
      {
        var _n0 = node;
        return `${_n0.key.value}=${formatExpression(_n0.value)}`;
      }
    case "Ternary":
      {
        var _n1 = node;
        return `${formatOperand(_n1.trueExpr, PRECEDENCE.LOGICAL_OR)} if ${formatOperand(_n1.condition, PRECEDENCE.LOGICAL_OR)} else ${formatOperand(_n1.falseExpr, PRECEDENCE.CONDITIONAL)}`;
      }
    default:
      throw new Error(`Unknown expression type: ${node.type}`);
  }
}
var Template = exports.Template = function () {
  function Template(template) {
    _classCallCheck(this, Template);
    _defineProperty(this, "parsed", void 0);
    var tokens = tokenize(template, {
      lstrip_blocks: true,
      trim_blocks: true
    });
    this.parsed = parse(tokens);
  }
  return _createClass(Template, [{
    key: "render",
    value: function render(items) {
      var env = new Environment();
      setupGlobals(env);
      if (items) {
        for (var _i5 = 0, _Object$entries = Object.entries(items); _i5 < _Object$entries.length; _i5++) {
          var _Object$entries$_i = _slicedToArray(_Object$entries[_i5], 2),
            key = _Object$entries$_i[0],
            value = _Object$entries$_i[1];
          env.set(key, value);
        }
      }
      var interpreter = new Interpreter(env);
      var result = interpreter.run(this.parsed);
      return result.value;
    }
  }, {
    key: "format",
    value: function format(options) {
      return _format(this.parsed, (options === null || options === void 0 ? void 0 : options.indent) || "	");
    }
  }]);
}();
