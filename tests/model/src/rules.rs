//! The rules of the protocol, each a switch. All on is the protocol; a mutant is the protocol without one of them.

/// One rule of the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    // ---- Claim, renew, intent, settle ----
    /// A claim takes no entry that is under a live lease.
    ClaimAsksExpiry,
    /// A claim gets the next fence of the store's one counter.
    FenceFromStore,
    /// Renewal asks for token and fence.
    RenewAsksOwner,
    /// Renewal asks for a lease that has not expired.
    RenewAsksExpiry,
    /// The intent is committed before the first byte leaves.
    IntentBeforeSend,
    /// The intent asks for token and fence.
    IntentAsksOwner,
    /// The intent asks for a lease that has not expired.
    IntentAsksExpiry,
    /// The intent of a create asks that nobody has seen the issue.
    IntentAsksSighting,
    /// The intent asks for the revision that was read.
    IntentAsksRevision,
    /// The intent stands aside for a person's wish.
    IntentAsksWish,
    /// The intent is committed with FULL.
    IntentDurable,
    /// Settle asks for the token.
    SettleAsksToken,
    /// Settle asks for the fence.
    SettleAsksFence,
    /// Enqueue is committed with FULL.
    EnqueueDurable,

    // ---- Clock ----
    /// The trust window counts from before the claim was asked for.
    TrustFromAsking,
    /// An attempt whose trust has run out is cancelled.
    CancelAtTrustEnd,

    // ---- Doubt ----
    /// What was sent without an answer is looked for before it is sent again.
    DoubtLooks,
    /// Nobody sends again before the earlier sender is provably gone.
    SenderGoneFirst,
    /// Quiet time counts from when the sender was gone, not from when it sent.
    QuietFromGone,
    /// Quiet time counts awake time.
    QuietAwake,
    /// After a reboot, quiet time counts from the boot.
    QuietAfterBoot,
    /// Only a look that began after the quiet time sets free.
    LookBeganAfterQuiet,
    /// A failed look is no look.
    FailedLookIsNoLook,
    /// A look that sets free ends the doubt, also where a wish stands in the way of sending again.
    ClearedLookEndsDoubt,
    /// A look goes to the destination that the intent recorded.
    LookAtIntentsDestination,
    /// A sender says that it is gone after its connection is, not before.
    CloseAfterCancel,
    /// A close needs no fence.
    CloseNeedsNoFence,
    /// A process whose workers were dropped closes what they had sent.
    DroppedWorkerIsClosed,
    /// A process that leaves closes what it had sent.
    LeaveCloses,
    /// Burial needs the lock of the dead.
    BuryNeedsLock,
    /// Burial closes the open intents of the dead.
    BuryCloses,
    /// A sighting needs no fence.
    SightingNeedsNoFence,
    /// A sighting makes an attention or withdrawn entry due again.
    SightingMakesDue,
    /// The receipt names the destination where the issue was seen.
    ReceiptFromSighting,
    /// An entry whose issue has been seen is not left to a person.
    SightingBarsAttention,

    // ---- A person's acts ----
    /// An act waits for the end of a live lease.
    ActsWaitForLease,
    /// An act waits for the end of doubt.
    ActsWaitForDoubt,
    /// A wish is honoured once the doubt is resolved, not before.
    WishWaitsForDoubt,
    /// An act takes the entry from whoever still works on it.
    ActsBumpFence,
    /// An act ends the attempt that it takes the entry from.
    ActsEndAttempt,
    /// What exists cannot be edited, moved or withdrawn.
    ExistenceRefusesActs,
    /// An act is committed with FULL.
    ActsDurable,
    /// "Send again" is offered once the sender is gone and the quiet time has passed.
    SendAgainAfterQuiet,

    // ---- Budget ----
    /// An entry beyond its budget goes to a person.
    BudgetEnds,
    /// A try that follows a look counts against the budget too.
    ResendAsksBudget,
    /// A takeover counts no try.
    TakeoverCountsNothing,
    /// A takeover sends nothing to a person: the last try of a budget is not over when its worker is displaced.
    TakeoverEndsNothing,

    // ---- Lanes and admission ----
    /// A lane has its share of the workers.
    LaneShare,
    /// A lane that fails has one worker.
    FailingLaneShare,
    /// The lane served is the one that waited longest.
    LaneTurns,
    /// A drain ends after so many claims.
    DrainEnds,
    /// A drain takes first what was there when it began.
    DrainHorizon,
    /// A process without the credential does not admit the lane.
    CredentialAdmits,
    /// A refused sign-in holds the lane only if its credential is still the one used.
    LateRefusalAsksRevision,

    // ---- Restore ----
    /// A restore raises the store's generation.
    RestoreRaisesGeneration,
    /// A restore waits until no other process has the store open.
    RestoreAlone,
    /// After a restore, quiet time counts from it.
    RestoreWaitsQuiet,
    /// After a restore, a look goes to every destination.
    RestoredLooksEverywhere,
}

/// Which rules are on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rules(u64);

impl Rules {
    /// The protocol.
    pub const fn all() -> Self {
        Self(u64::MAX)
    }

    /// The protocol without one more rule.
    #[must_use]
    pub const fn without(self, rule: Rule) -> Self {
        Self(self.0 & !(1 << rule as u64))
    }

    /// Whether a rule is on.
    pub const fn has(self, rule: Rule) -> bool {
        self.0 & (1 << rule as u64) != 0
    }
}
