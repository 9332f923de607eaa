package dev.headway.grammar.network;

import dev.headway.grammar.Vocabulary;
import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * The texts of a vocabulary as a tree of bytes, its nodes in the order of a walk: below node {@code
 * n} are the nodes in (n, end[n]). Node 0 is the empty text. Immutable; any thread.
 */
public final class TokenTrie {

  private static final int BYTES = 256;

  private final Vocabulary vocabulary;
  final byte[] label;
  final int[] depth;
  final int[] end;

  /** The tokens of node {@code n} are those at [firstToken[n], firstToken[n + 1]). */
  final int[] firstToken;

  final int[] tokens;
  final int deepest;

  private TokenTrie(
      Vocabulary vocabulary, byte[] label, int[] depth, int[] end, int[] firstToken, int[] tokens) {
    this.vocabulary = vocabulary;
    this.label = label;
    this.depth = depth;
    this.end = end;
    this.firstToken = firstToken;
    this.tokens = tokens;
    int most = 0;
    for (int each : depth) {
      most = Math.max(most, each);
    }
    this.deepest = most;
  }

  /** Sorts a vocabulary; a second for a million tokens. */
  public static TokenTrie of(Vocabulary vocabulary) {
    final int[] sorted =
        IntStream.range(0, vocabulary.size())
            .filter(token -> vocabulary.length(token) > 0)
            .boxed()
            .sorted(vocabulary::compare)
            .mapToInt(Integer::intValue)
            .toArray();
    final GrowingInts label = new GrowingInts();
    final GrowingInts depth = new GrowingInts();
    final GrowingInts firstToken = new GrowingInts();
    label.add(0);
    depth.add(0);
    firstToken.add(0);
    int before = -1;
    for (int i = 0; i < sorted.length; i++) {
      final int token = sorted[i];
      final int shared = before < 0 ? 0 : shared(vocabulary, before, token);
      for (int at = shared; at < vocabulary.length(token); at++) {
        label.add(vocabulary.byteAt(token, at));
        depth.add(at + 1);
        firstToken.add(i);
      }
      before = token;
    }
    firstToken.add(sorted.length);
    return new TokenTrie(
        vocabulary, bytes(label), depth.toArray(), ends(depth), firstToken.toArray(), sorted);
  }

  private static int shared(Vocabulary vocabulary, int token, int other) {
    final int most = Math.min(vocabulary.length(token), vocabulary.length(other));
    int shared = 0;
    while (shared < most && vocabulary.byteAt(token, shared) == vocabulary.byteAt(other, shared)) {
      shared++;
    }
    return shared;
  }

  private static byte[] bytes(GrowingInts labels) {
    final byte[] bytes = new byte[labels.size()];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) labels.get(i);
    }
    return bytes;
  }

  /** The next node that is not deeper. */
  private static int[] ends(GrowingInts depth) {
    final int[] end = new int[depth.size()];
    int[] way = new int[64];
    int size = 0;
    for (int node = 0; node < end.length; node++) {
      while (size > 0 && depth.get(way[size - 1]) >= depth.get(node)) {
        end[way[--size]] = node;
      }
      if (size == way.length) {
        way = Arrays.copyOf(way, 2 * size);
      }
      way[size++] = node;
    }
    while (size > 0) {
      end[way[--size]] = end.length;
    }
    return end;
  }

  /** The vocabulary. */
  public Vocabulary vocabulary() {
    return vocabulary;
  }

  /** Which bytes are tokens by themselves. */
  public boolean[] bytes() {
    final boolean[] isByte = new boolean[BYTES];
    for (int node = 1; node < end.length; node++) {
      if (depth[node] == 1 && firstToken[node] < firstToken[node + 1]) {
        isByte[label[node] & 0xff] = true;
      }
    }
    return isByte;
  }
}
