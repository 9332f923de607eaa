package dev.headway.testkit.connector;

import dev.headway.api.kvcache.KvSequence;
import dev.headway.api.request.Request;
import dev.headway.testkit.FakeRequest;
import dev.headway.testkit.FakeSequence;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;

/** A request with blocks, as a scheduler has it. */
final class PlayedRequest {

  /** What the connector gets of it. */
  final FakeRequest view;

  private int[] table = {};

  PlayedRequest(long number, Request request) {
    view = new FakeRequest(number, request);
  }

  long number() {
    return view.number();
  }

  /** Gets blocks, the first of which is {@code first}. */
  void hold(int first, int count) {
    table = new int[count];
    Arrays.setAll(table, i -> first + i);
  }

  int[] table() {
    return table;
  }

  KvSequence blocks() {
    return new FakeSequence(1, table);
  }

  /** The last of its blocks. */
  Set<Integer> lastBlocks(int count) {
    final Set<Integer> last = new HashSet<>();
    for (int i = table.length - count; i < table.length; i++) {
      last.add(table[i]);
    }
    return last;
  }

  int[] tokens() {
    final int[] tokens = new int[view.knownTokens()];
    view.copyTokenIds(0, tokens, 0, tokens.length);
    return tokens;
  }
}
