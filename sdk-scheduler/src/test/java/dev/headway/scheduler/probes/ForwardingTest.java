package dev.headway.scheduler.probes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.probe.Probe;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** An event that is added to the SPI must not end in the dispatcher. */
class ForwardingTest {

  @Test
  void shouldPassOnEveryEventOfTheSpi() {
    final List<String> own =
        Arrays.stream(ProbeDispatcher.class.getDeclaredMethods())
            .map(ForwardingTest::signature)
            .toList();

    assertThat(List.of(Probe.class.getMethods()))
        .filteredOn(method -> method.getName().startsWith("on"))
        .hasSizeGreaterThan(18)
        .map(ForwardingTest::signature)
        .isSubsetOf(own);
  }

  private static String signature(Method method) {
    return method.getName() + Arrays.toString(method.getParameterTypes());
  }
}
