package dev.headway.grammar.regex;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Sets of characters as ranges, both ends included. Stateless; any thread. */
final class CharRanges {

  static final List<int[]> DIGITS = List.of(new int[] {'0', '9'});

  static final List<int[]> WORD =
      List.of(
          new int[] {'0', '9'}, new int[] {'A', 'Z'}, new int[] {'_', '_'}, new int[] {'a', 'z'});

  /** ECMAScript's white space and line ends. */
  static final List<int[]> BLANKS =
      List.of(
          new int[] {'\t', '\r'},
          new int[] {' ', ' '},
          new int[] {0xa0, 0xa0},
          new int[] {0x1680, 0x1680},
          new int[] {0x2000, 0x200a},
          new int[] {0x2028, 0x2029},
          new int[] {0x202f, 0x202f},
          new int[] {0x205f, 0x205f},
          new int[] {0x3000, 0x3000},
          new int[] {0xfeff, 0xfeff});

  static final List<int[]> LINE_ENDS =
      List.of(new int[] {'\n', '\n'}, new int[] {'\r', '\r'}, new int[] {0x2028, 0x2029});

  private CharRanges() {}

  static List<int[]> one(int c) {
    return List.of(new int[] {c, c});
  }

  /** All other characters. */
  static List<int[]> not(List<int[]> ranges) {
    final List<int[]> sorted = new ArrayList<>(ranges);
    sorted.sort(Comparator.comparingInt(range -> range[0]));
    final List<int[]> others = new ArrayList<>();
    int from = 0;
    for (int[] range : sorted) {
      if (range[0] > from) {
        others.add(new int[] {from, range[0] - 1});
      }
      from = Math.max(from, range[1] + 1);
    }
    if (from <= Character.MAX_CODE_POINT) {
      others.add(new int[] {from, Character.MAX_CODE_POINT});
    }
    return others;
  }
}
