package dev.headway.kvcache.disk;

import dev.headway.api.request.RequestView;
import dev.headway.kvcache.wire.VllmBlockHashChain;
import dev.headway.kvcache.wire.VllmBlockHasher;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/** The names of a request's whole blocks, each made once. Engine thread only. */
final class BlockNameChain {

  private final VllmBlockHasher hasher;
  private final int[] tokens;
  private final List<String> names = new ArrayList<>();
  private final VllmBlockHashChain chain;

  BlockNameChain(VllmBlockHasher hasher, RequestView request) {
    this.hasher = hasher;
    tokens = new int[hasher.blockSize()];
    chain = hasher.chain(request.request());
  }

  /** Returns the name of a block of known tokens. */
  String name(RequestView request, int block) {
    while (names.size() <= block) {
      request.copyTokenIds(names.size() * hasher.blockSize(), tokens, 0, tokens.length);
      chain.append(tokens, 0);
      names.add(HexFormat.of().formatHex(chain.digest()));
    }
    return names.get(block);
  }
}
