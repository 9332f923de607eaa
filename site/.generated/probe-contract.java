class LongestWaitTest extends ProbeContract {

  @Override
  protected Probe create() {
    return new RunProbe(new LongestWait(), RunDetail.CHANGES);
  }
}
