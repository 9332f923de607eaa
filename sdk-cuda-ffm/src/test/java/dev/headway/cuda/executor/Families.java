package dev.headway.cuda.executor;

import dev.headway.executor.model.ModelFamily;
import java.util.Arrays;

/** Those that there are kernels for. */
final class Families {

  static final ModelFamily[] ON_DEVICE =
      Arrays.stream(ModelFamily.values())
          .filter(family -> !family.hasOutputNorms() && !family.hasSinks())
          .toArray(ModelFamily[]::new);

  private Families() {}
}
