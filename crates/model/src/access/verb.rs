//! Verbs: everything someone can ask of a brain, and the role it takes. Each verb of the server's `app` names the one it is.

use super::token::TokenRole;

/// What a verb needs, each including those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Need {
    /// To look at the brain and at its runs.
    View,
    /// To start, cancel and answer runs.
    Run,
    /// To change the brain.
    Build,
    /// Secrets, tokens, and what concerns the whole server.
    Administer,
}

impl Need {
    /// The least role that has it.
    pub fn role(self) -> TokenRole {
        match self {
            Need::View => TokenRole::Viewer,
            Need::Run => TokenRole::Runner,
            Need::Build => TokenRole::Builder,
            Need::Administer => TokenRole::Admin,
        }
    }

    /// The most that a role has.
    pub fn most(role: TokenRole) -> Need {
        match role {
            TokenRole::Viewer => Need::View,
            TokenRole::Runner => Need::Run,
            TokenRole::Builder => Need::Build,
            TokenRole::Admin => Need::Administer,
        }
    }
}

macro_rules! verbs {
    ($($(#[$about:meta])* $verb:ident: $need:ident,)*) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Verb { $($(#[$about])* $verb,)* }

        impl Verb {
            pub const ALL: &[Verb] = &[$(Verb::$verb,)*];

            pub fn need(self) -> Need {
                match self { $(Verb::$verb => Need::$need,)* }
            }

            pub fn as_str(self) -> &'static str {
                match self { $(Verb::$verb => stringify!($verb),)* }
            }
        }
    };
}

verbs! {
    ReadBrain: View,
    ReadFunctions: View,
    SearchFunctions: View,
    ReadTriggers: View,
    ReadSchedules: View,
    ReadChangesets: View,
    ReadPacks: View,
    ReadPresets: View,
    ReadRuns: View,
    ReadEvents: View,
    ReadInsights: View,
    ReadMetrics: View,
    ReadNodes: View,
    ReadModels: View,
    ExportBrain: View,
    StartRun: Run,
    CancelRun: Run,
    AnswerRun: Run,
    /// Raises what a run may spend.
    ExtendRun: Run,
    ReplayRun: Run,
    RunTests: Run,
    PrepareEnvironments: Run,
    EmitEvent: Run,
    ProposeChangeset: Build,
    ApplyChangeset: Build,
    RejectChangeset: Build,
    RevertChangeset: Build,
    ChangePresets: Build,
    ManageSecrets: Administer,
    ManageModels: Administer,
    ManageTokens: Administer,
    ManageSessions: Administer,
    PruneRuns: Administer,
    RebuildSearch: Administer,
    ExamineServer: Administer,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_role_has_what_its_need_says() {
        for need in [Need::View, Need::Run, Need::Build, Need::Administer] {
            assert_eq!(Need::most(need.role()), need);
        }
    }
}
