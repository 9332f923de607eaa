package dev.headway.cuda.driver;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.cuda.emulation.OnCudaDriver;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** The library in use exports everything that is bound. */
@OnCudaDriver
class DriverSymbolsTest {
  @Test
  void shouldFindEverySymbol() {
    final var symbols = CudaLibrary.library().symbols().orElseThrow();

    assertThat(
            Arrays.stream(DriverFunction.values())
                .map(DriverFunction::symbol)
                .filter(symbol -> symbols.find(symbol).isEmpty()))
        .isEmpty();
  }
}
