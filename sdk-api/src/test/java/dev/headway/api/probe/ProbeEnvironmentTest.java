package dev.headway.api.probe;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ProbeEnvironmentTest {

  private static final String UNSET = "dev.headway.nothing.has.this.name";

  private final ProbeEnvironment environment = ProbeEnvironment.ofProcess();

  @Test
  void shouldReadThePropertiesOfTheProcess() {
    assertThat(environment.property("java.version")).isEqualTo(System.getProperty("java.version"));
    assertThat(environment.property(UNSET)).isNull();
  }

  @Test
  void shouldReadTheVariablesOfTheProcess() {
    assertThat(System.getenv())
        .isNotEmpty()
        .allSatisfy((name, value) -> assertThat(environment.variable(name)).isEqualTo(value));
    assertThat(environment.variable(UNSET)).isNull();
  }
}
