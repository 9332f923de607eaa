package dev.headway.scheduler.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.api.policy.Policies;
import dev.headway.api.policy.PolicyCatalog;
import dev.headway.api.policy.PolicyContext;
import dev.headway.api.policy.PolicyProvider;
import dev.headway.api.policy.PolicySpec;
import dev.headway.api.step.StepFeatures;
import dev.headway.scheduler.policy.order.VirtualTokenCounter;
import dev.headway.scheduler.policy.tokens.LinearStepTime;
import dev.headway.scheduler.policy.victim.LastAdmitted;
import dev.headway.scheduler.policy.victim.VictimBy;
import dev.headway.testkit.policy.PolicyContract;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Enumeration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PolicyLoaderTest {

  @TempDir private Path services;

  @Test
  void shouldMakeNothingThatWasNotAskedFor() {
    final Policies policies = builtIns().create(Map.of(), PolicyContract.context(Map.of()));

    assertThat(policies.isEmpty()).isTrue();
  }

  @Test
  void shouldPutPoliciesTogetherWithTheirOptions() {
    final Policies policies = make("vtc(wq=3)+least-computed");

    assertThat(policies.order()).isInstanceOf(VirtualTokenCounter.class);
    assertThat(policies.ledgers()).containsExactly((VirtualTokenCounter) policies.order());
    assertThat(policies.victim()).isSameAs(VictimBy.LEAST_COMPUTED);
    assertThat(policies.stepTime()).isNull();
  }

  @Test
  void shouldAddAStepTimeModelForThoseWhoNeedOne() {
    assertThat(make("token-budget").stepTime()).isInstanceOf(LinearStepTime.class);
    assertThat(make("earliest-deadline(unattainable=admit)").stepTime()).isNull();
  }

  @Test
  void shouldKeepTheStepTimeModelThatWasAskedFor() {
    final Policies policies = make("token-budget+linear(step-us=5)");

    assertThat(policies.stepTime().estimateNs(new StepFeatures())).isEqualTo(5_000);
  }

  @Test
  void shouldListWhatThereIsWhenANameIsUnknown() {
    assertThatThrownBy(() -> make("nobody"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("no policy named 'nobody': found=[cost-aware, earliest-deadline,")
        .hasMessageEndingWith("broken=[]; is its jar on the class path or module path?");
  }

  @Test
  void shouldRefuseTwoPoliciesForOneDecision() {
    assertThatThrownBy(() -> make("least-computed+last-admitted"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "each decision takes one policy; choose one: decision=victim, policies=["
                + VictimBy.class.getName()
                + ", "
                + LastAdmitted.class.getName()
                + "], names=[least-computed, last-admitted]");
  }

  @Test
  void shouldRefuseOptionsThatArePossiblyMisspelled() {
    assertThatThrownBy(() -> make("vtc(wk=3)"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "policy 'vtc' has no such options: given=[wk], known=[tenant.<name>, wp, wq]; the nearest: wp");
    assertThatThrownBy(() -> make("vtc(wq=many)"))
        .hasMessage("option wq of policy 'vtc' must be a number: wq=many");
    assertThatThrownBy(() -> make("vtc(tenant.a=0)"))
        .hasMessage("option tenant.a of policy 'vtc' must be in [1.0E-6, 1000000.0]: tenant.a=0");
    assertThatThrownBy(() -> make("longest-prefix-match(fcfs-above=4097)"))
        .hasMessageContaining(
            "option fcfs-above of policy 'longest-prefix-match' must be in [1, 4096]");
    assertThatThrownBy(() -> make("earliest-deadline(unattainable=no)"))
        .hasMessage(
            "option unattainable of policy 'earliest-deadline' must be one of [admit, defer,"
                + " reject]: unattainable=no");
  }

  @Test
  void shouldFindTheOthersWhenOneProviderIsBroken() {
    final PolicyLoader loader = loaderOf(Broken.class, Good.class);

    assertThat(loader.descriptions()).containsEntry("good", "does nothing");
    assertThatThrownBy(
            () -> loader.create(Map.of("broken", Map.of()), PolicyContract.context(Map.of())))
        .hasMessageContaining("no policy named 'broken'")
        .hasMessageContaining("broken=[")
        .hasMessageContaining(Broken.class.getName());
  }

  @Test
  void shouldRefuseTwoProvidersOfOneName() {
    assertThatThrownBy(() -> loaderOf(Good.class, AlsoGood.class))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage(
            "policy names must be unique: name='good', providers=["
                + Good.class.getName()
                + ", "
                + AlsoGood.class.getName()
                + "]");
  }

  @Test
  void shouldFindThePoliciesOfACatalogAmongTheOthers() {
    register(PolicyCatalog.class, Two.class);

    final PolicyLoader loader = loaderOf(Good.class);

    assertThat(loader.descriptions()).containsOnlyKeys("failing", "first", "good");
    assertThat(loader.create(Map.of("first", Map.of()), PolicyContract.context(Map.of())))
        .isEqualTo(Policies.NONE);
    assertThatThrownBy(
            () -> loader.create(Map.of("nobody", Map.of()), PolicyContract.context(Map.of())))
        .hasMessage(
            "no policy named 'nobody': found=[failing, first, good], broken=[]; is its jar on the"
                + " class path or module path?");
  }

  @Test
  void shouldRefuseANameOfACatalogThatAProviderHas() {
    register(PolicyCatalog.class, Two.class);

    assertThatThrownBy(() -> loaderOf(First.class))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage(
            "policy names must be unique: name='first', providers=["
                + First.class.getName()
                + ", "
                + Two.class.getName()
                + "]");
  }

  @Test
  void shouldRefuseACatalogWithANameTwice() {
    register(PolicyCatalog.class, Twice.class);

    final PolicyLoader loader = loaderOf(Good.class);

    assertThat(loader.descriptions()).containsOnlyKeys("good");
    assertThatThrownBy(
            () -> loader.create(Map.of("first", Map.of()), PolicyContract.context(Map.of())))
        .hasMessageContaining(
            "broken=[policy names must be unique: name='first', providers=["
                + Twice.class.getName());
  }

  @Test
  void shouldNameTheProviderThatFails() {
    final PolicyLoader loader = loaderOf(Failing.class);

    assertThatThrownBy(
            () -> loader.create(Map.of("failing", Map.of()), PolicyContract.context(Map.of())))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("policy 'failing' could not be made: java.lang.LinkageError: no library");
  }

  private static Policies make(String spec) {
    return builtIns().create(PolicySpec.parse(spec), PolicyContract.context(Map.of()));
  }

  private static PolicyLoader builtIns() {
    return new PolicyLoader(PolicyLoaderTest.class.getClassLoader());
  }

  private PolicyLoader loaderOf(Class<?>... providers) {
    register(PolicyProvider.class, providers);
    return new PolicyLoader(new OnlyThese(services));
  }

  private void register(Class<?> service, Class<?>... classes) {
    final Path file = services.resolve("META-INF/services/" + service.getName());
    try {
      Files.createDirectories(file.getParent());
      Files.writeString(
          file, Arrays.stream(classes).map(Class::getName).collect(Collectors.joining("\n")));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Sees the services of a folder and no others. */
  private static final class OnlyThese extends URLClassLoader {

    OnlyThese(Path folder) {
      super(new URL[] {url(folder)}, PolicyLoaderTest.class.getClassLoader());
    }

    private static URL url(Path folder) {
      try {
        return folder.toUri().toURL();
      } catch (MalformedURLException e) {
        throw new IllegalArgumentException(e);
      }
    }

    @Override
    public Enumeration<URL> getResources(String name) throws IOException {
      return findResources(name);
    }
  }

  /** Provides nothing under the name {@code good}. */
  public static class Good implements PolicyProvider {
    @Override
    public String name() {
      return "good";
    }

    @Override
    public String description() {
      return "does nothing";
    }

    @Override
    public Policies create(PolicyContext context) {
      return Policies.NONE;
    }
  }

  /** Takes the same name. */
  public static final class AlsoGood extends Good {}

  /** Cannot be made. */
  public static final class Broken extends Good {
    /** Throws. */
    public Broken() {
      throw new IllegalStateException("broken");
    }
  }

  /** Provides nothing under another name. */
  public static final class First extends Good {
    @Override
    public String name() {
      return "first";
    }
  }

  /** Two policies in one service. */
  public static final class Two implements PolicyCatalog {
    @Override
    public List<PolicyProvider> policies() {
      return List.of(new First(), new Failing());
    }
  }

  /** Two policies of one name. */
  public static final class Twice implements PolicyCatalog {
    @Override
    public List<PolicyProvider> policies() {
      return List.of(new First(), new First());
    }
  }

  /** Cannot make policies. */
  public static final class Failing extends Good {
    @Override
    public String name() {
      return "failing";
    }

    @Override
    public Policies create(PolicyContext context) {
      throw new LinkageError("no library");
    }
  }
}
