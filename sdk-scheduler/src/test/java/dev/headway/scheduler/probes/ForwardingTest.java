package dev.headway.scheduler.probes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.probe.Probe;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An event that is added to the SPI must not end in the probes that stand for others. */
class ForwardingTest {

  @ParameterizedTest
  @ValueSource(classes = {ProbeHub.class, MappedProbe.class})
  void shouldPassOnEveryEventOfTheSpi(Class<?> forwarding) {
    final List<String> own =
        Arrays.stream(forwarding.getDeclaredMethods()).map(ForwardingTest::signature).toList();

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
